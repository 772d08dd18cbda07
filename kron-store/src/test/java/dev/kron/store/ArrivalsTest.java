package dev.kron.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.JobState;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ArrivalsTest {
  @TempDir Path temporary;
  private final FaultyDisk disk = new FaultyDisk(new LinuxDisk());

  private StateDirectory open() throws Exception {
    return StateDirectory.open(temporary.resolve("state"), disk, Samples.settings(), "pid 1");
  }

  private static Arrival arrival(int number, long since) {
    return new Arrival("/many:" + number, "f" + since, since, false);
  }

  @Test
  void recordsAnyNumberOfJobsWithOneSync() throws Exception {
    try (StateDirectory store = open()) {
      store.arrivals().append(List.of(arrival(0, 1)));
      int before = disk.syncs.get();
      List<Arrival> many = new ArrayList<>();
      for (int i = 0; i < 10_000; i++) {
        many.add(arrival(i, 1000 + i));
      }
      store.arrivals().append(many);
      assertEquals(1, disk.syncs.get() - before);
      LoadedStates loaded = store.load(UnaryOperator.identity());
      assertEquals(arrival(0, 1000), loaded.arrival("/many:0").orElseThrow());
      assertEquals(arrival(9999, 10_999), loaded.arrival("/many:9999").orElseThrow());
    }
  }

  @Test
  void writesLinesThatCanBeFoundByTheStateFilesName() throws Exception {
    try (StateDirectory store = open()) {
      store.arrivals().append(List.of(new Arrival("abc", "0123abcd", 1_772_323_200, true)));
      assertEquals(
          "kron-arrivals 1\n"
              + "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad 0123abcd"
              + " 1772323200 lost 21bdc2d3\n",
          Files.readString(store.path().resolve("arrivals")));
    }
  }

  @Test
  void passesOverATornTailAndGoesOnAfterIt() throws Exception {
    try (StateDirectory store = open()) {
      store.arrivals().append(List.of(arrival(1, 1)));
      Path file = store.path().resolve("arrivals");
      Files.writeString(file, "ba7816bf8f01cfea41", StandardOpenOption.APPEND);
    }
    try (StateDirectory store = open()) {
      assertEquals(0, store.load(UnaryOperator.identity()).damagedArrivals());
      store.arrivals().append(List.of(arrival(2, 2)));
      LoadedStates loaded = store.load(UnaryOperator.identity());
      assertEquals(0, loaded.damagedArrivals());
      assertTrue(loaded.arrival("/many:1").isPresent());
      assertTrue(loaded.arrival("/many:2").isPresent());
    }
  }

  @Test
  void passesOverADamagedLineAndSaysSo() throws Exception {
    try (StateDirectory store = open()) {
      store.arrivals().append(List.of(arrival(1, 1), arrival(2, 2), arrival(3, 3)));
      Path file = store.path().resolve("arrivals");
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 2] ^= 1;
      Files.write(file, bytes);
      LoadedStates loaded = store.load(UnaryOperator.identity());
      assertEquals(1, loaded.damagedArrivals());
      assertTrue(loaded.arrival("/many:1").isPresent());
      assertTrue(loaded.arrival("/many:2").isEmpty());
      assertTrue(loaded.arrival("/many:3").isPresent());
      assertEquals(0, store.load(UnaryOperator.identity()).damagedArrivals(), "cleaned up");
    }
  }

  @Test
  void survivesAnyBytes() {
    SplittableRandom random = new SplittableRandom(Long.getLong("kron.seed", 1L));
    for (int i = 0; i < 2000; i++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      for (int k = 0; k < 3 && bytes.length > 0; k++) {
        bytes[random.nextInt(bytes.length)] = '\n';
      }
      assertTrue(new ArrivalTable(bytes).damaged() > 0 || bytes.length < 2);
    }
  }

  @Test
  void outranksTheStateFileUntilThatSaysTheSame() throws Exception {
    JobState state = Samples.state("/a:b");
    try (StateDirectory store = open()) {
      store.jobs().commit(List.of(new StateChange(state, List.of())));
      store.arrivals().append(List.of(new Arrival("/a:b", "new", 77, true)));
      JobState loaded = store.load(UnaryOperator.identity()).states().getFirst();
      assertEquals("new", loaded.fingerprint());
      assertEquals(77, loaded.since());
      assertTrue(loaded.pastLost());
      assertEquals(state.lastHandled(), loaded.lastHandled());
      // A clock that went back makes an earlier moment the newer one.
      store.arrivals().append(List.of(new Arrival("/a:b", "new", 5, false)));
      assertEquals(5, store.load(UnaryOperator.identity()).states().getFirst().since());
    }
  }

  @Test
  void shrinksAtAStartToWhatStillCounts() throws Exception {
    try (StateDirectory store = open()) {
      for (int round = 0; round < 5; round++) {
        List<Arrival> many = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
          many.add(arrival(i, round));
        }
        store.arrivals().append(many);
      }
      Path file = store.path().resolve("arrivals");
      assertEquals(501, Files.readAllLines(file, UTF_8).size());
      store.load(UnaryOperator.identity());
      assertEquals(101, Files.readAllLines(file, UTF_8).size());
      store.arrivals().append(List.of(arrival(7, 99)));
      LoadedStates loaded = store.load(UnaryOperator.identity());
      assertEquals(99, loaded.arrival("/many:7").orElseThrow().since());
      assertEquals(4, loaded.arrival("/many:8").orElseThrow().since());
    }
  }

  @Test
  void refusesAFingerprintThatWouldBreakALine() {
    for (String bad : List.of("", "a b", "a\nb", "ä")) {
      assertThrows(IllegalArgumentException.class, () -> new Arrival("/a:b", bad, 0, false), bad);
    }
  }
}
