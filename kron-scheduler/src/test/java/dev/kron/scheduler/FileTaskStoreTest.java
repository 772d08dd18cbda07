package dev.kron.scheduler;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** State in files: what it costs, what it survives, and what it refuses. */
class FileTaskStoreTest {
  private final SimulatedDisk disk = new SimulatedDisk();

  private FileSession session() {
    return new FileSession(disk, Path.of("/state"), "tasks.json", () -> {});
  }

  private String text(String name) {
    return new String(Objects.requireNonNull(disk.contents(name)), UTF_8);
  }

  private void change(String name, String from, String to) {
    String text = text(name);
    assertTrue(text.contains(from), text);
    disk.put(name, text.replace(from, to).getBytes(UTF_8));
  }

  @Test
  void remembersAcrossSessions() throws IOException {
    var random = new SplittableRandom(1);
    var first = States.random("a \"quoted\" näme \ud83d\ude00 \ud800", random);
    var second = States.random("b\n\t\\", random);
    var session = session();
    assertEquals(List.of(), session.load());
    session.replaceAll(List.of(first, second));
    var changed = States.random("b\n\t\\", random);
    session.update(List.of(changed));
    session.close();
    assertEquals(States.byName(List.of(first, changed)), States.byName(session().load()));
  }

  @Test
  void writesJsonThatPeopleCanRead() throws IOException {
    var session = session();
    session.load();
    session.replaceAll(
        List.of(
            new TaskState(
                "cleanup",
                "0 3 * * *",
                Duration.ofMinutes(5),
                Instant.parse("2026-03-01T03:00:00Z"),
                Instant.parse("2026-03-01T03:00:04.25Z"),
                null,
                null,
                null)));
    assertEquals(
        """
        {"version":1,"generation":1,"tasks":[
        {"name":"cleanup","cronExpression":"0 3 * * *","retryDelay":"PT5M",\
        "lastAttemptAt":"2026-03-01T03:00:00Z","lastSuccessAt":"2026-03-01T03:00:04.250Z",\
        "lastFailureAt":null,"pendingRetryUntil":null,"runningUnder":null}
        ],"crc32c":"CRC"}
        """
            .replace("CRC", checksumOf(text("tasks.json"))),
        text("tasks.json"));
  }

  private static String checksumOf(String snapshot) {
    var crc = new CRC32C();
    crc.update(snapshot.substring(0, snapshot.lastIndexOf("\n]")).getBytes(UTF_8));
    return String.format("%08x", crc.getValue());
  }

  @Test
  void tellsDamageFromATornWrite() throws IOException {
    var session = session();
    session.load();
    var known = States.random("a", new SplittableRandom(3));
    session.replaceAll(List.of(known));
    byte[] whole = Objects.requireNonNull(disk.contents("tasks.json"));
    change("tasks.json", "\"a\"", "\"b\"");
    assertRefused("The state file is damaged: its checksum is ");
    for (int length = 1; length < whole.length - 1; length++) {
      disk.put("tasks.json", java.util.Arrays.copyOf(whole, length));
      assertRefused("The state file is cut off: ");
    }
    disk.put("tasks.json", whole);
    String text = text("tasks.json");
    change("tasks.json", text.substring(text.lastIndexOf(",\"crc32c\""), text.length() - 2), "");
    assertEquals(List.of(known), session().load(), "changed by hand, and said so");
  }

  private void assertRefused(String beginning) {
    var error = assertThrows(TaskInvalidStructureException.class, () -> session().load());
    assertTrue(String.valueOf(error.getMessage()).startsWith(beginning), error.getMessage());
    assertEquals("/state/tasks.json", error.source());
  }

  @Test
  void aStrayJournalWithTheLargestNumberBlocksNothing() throws IOException {
    var session = session();
    session.load();
    session.replaceAll(List.of(States.plain("a")));
    for (String stray :
        List.of(Long.MAX_VALUE + "", Long.MAX_VALUE - 1 + "", "2", "99999999999999999999")) {
      disk.put("tasks.json.journal-" + stray, "stray\n".getBytes(UTF_8));
    }
    for (int start = 0; start < 3; start++) {
      var next = session();
      assertEquals(1, next.load().size());
      next.replaceAll(List.of(States.plain("a")));
      next.update(List.of(States.plain("a")));
    }
    assertTrue(
        text("tasks.json").startsWith("{\"version\":1,\"generation\":5,"), text("tasks.json"));
  }

  @Test
  void aGenerationThatCannotBeIsRefusedByName() throws IOException {
    for (String generation : List.of("0", "-1", Long.MAX_VALUE + "", "1e300", "\"1\"")) {
      disk.put(
          "tasks.json",
          ("{\"version\":1,\"generation\":" + generation + ",\"tasks\":[]}").getBytes(UTF_8));
      var error = assertThrows(TaskInvalidValueException.class, () -> session().load());
      assertEquals("generation", error.field());
      assertTrue(error.toString().contains("tasks.json"), error.toString());
    }
  }

  @Test
  void aTimestampBeyondTheRangeIsRefusedByFileLineAndField() throws IOException {
    var session = session();
    session.load();
    session.replaceAll(List.of(States.plain("a")));
    session.update(List.of(States.plain("a")));
    for (String field :
        List.of("lastAttemptAt", "lastSuccessAt", "lastFailureAt", "pendingRetryUntil")) {
      byte[] snapshot = Objects.requireNonNull(disk.contents("tasks.json"));
      for (String time : List.of("+1000000000-12-31T23:59:59.999Z", "-0001-01-01T00:00:00Z")) {
        change("tasks.json", "\"" + field + "\":null", "\"" + field + "\":\"" + time + "\"");
        var error = assertThrows(TaskInvalidValueException.class, () -> session().load());
        assertEquals(field, error.field());
        assertEquals("/state/tasks.json, task 1", error.source());
        disk.put("tasks.json", snapshot);
      }
    }
    assertEquals(1, session().load().size(), "put right, it is read again");
  }

  @Test
  void aTimestampBeyondTheRangeIsRefusedFromOtherStoresToo() {
    var store =
        MemoryTaskStore.of(
            List.of(
                new TaskState(
                    "a", "0 3 * * *", Duration.ZERO, Instant.MAX, null, null, null, null)));
    var scheduler = DeclarativeScheduler.create(store);
    var error =
        assertThrows(TaskInvalidValueException.class, () -> scheduler.initialize(List.of()));
    assertEquals("lastAttemptAt", error.field());
    assertTrue(error.source().contains("\"a\""), error.source());
  }

  @Test
  void aWriteCostsWhatChangedAndOneFsync() throws IOException {
    var session = session();
    session.load();
    session.replaceAll(States.many(10_000));
    disk.bytesWritten = 0;
    disk.fsyncs = 0;
    session.update(List.of(States.plain("task 1"), States.plain("task 2"), States.plain("task 3")));
    assertEquals(1, disk.fsyncs);
    assertTrue(disk.bytesWritten < 1000, () -> disk.bytesWritten + " bytes");
  }

  @Test
  void tidiesUpWhenTheJournalHasOutgrownTheState() throws IOException {
    var session = session();
    session.load();
    var all = States.many(2000);
    session.replaceAll(all);
    int rewrites = 0;
    disk.bytesWritten = 0;
    for (int i = 0; i < 40; i++) {
      session.update(all);
      var before = disk.names();
      session.maintain(() -> all);
      rewrites += before.equals(disk.names()) ? 0 : 1;
    }
    assertTrue(rewrites >= 5 && rewrites <= 20, "rewritten " + rewrites + " times");
    assertEquals(2, disk.names().size());
    assertEquals(States.byName(all), States.byName(session().load()));
  }

  @Test
  void dropsABatchThatWasCutOff() throws IOException {
    var session = session();
    session.load();
    session.replaceAll(List.of(States.plain("a")));
    var known = States.random("a", new SplittableRandom(1));
    session.update(List.of(known));
    session.update(List.of(States.random("a", new SplittableRandom(2))));
    byte[] whole = Objects.requireNonNull(disk.contents("tasks.json.journal-1"));
    disk.put("tasks.json.journal-1", java.util.Arrays.copyOf(whole, whole.length - 5));
    assertEquals(List.of(known), session().load());
  }

  @Test
  void refusesAJournalThatIsDamagedInTheMiddle() throws IOException {
    var session = session();
    session.load();
    session.replaceAll(List.of(States.plain("a"), States.plain("b")));
    session.update(List.of(States.plain("a")));
    session.update(List.of(States.plain("b")));
    change("tasks.json.journal-1", "{\"name\":\"a\"", "{\"name\":\"A\"");
    var error = assertThrows(TaskInvalidStructureException.class, () -> session().load());
    assertTrue(String.valueOf(error.getMessage()).startsWith("Batch 1 of the journal is damaged"));
    assertTrue(error.toString().contains("tasks.json.journal-1"), error.toString());
  }

  /** A page of the disk that reads as zeros is larger than most batches. */
  @Test
  void damageWhereverItStandsIsNoTornWriteUnlessItIsInTheLastBatch() throws IOException {
    var session = session();
    session.load();
    session.replaceAll(List.of(States.plain("a"), States.plain("b")));
    int last = 0;
    for (int batch = 0; batch < 6; batch++) {
      last = Objects.requireNonNull(disk.contents("tasks.json.journal-1")).length;
      session.update(
          List.of(States.random(batch % 2 == 0 ? "a" : "b", new SplittableRandom(batch))));
    }
    byte[] whole = Objects.requireNonNull(disk.contents("tasks.json.journal-1"));
    for (int length : new int[] {1, 100, 600}) {
      for (int from = 0; from < last; from++) {
        byte[] damaged = whole.clone();
        java.util.Arrays.fill(damaged, from, Math.min(last, from + length), (byte) 0);
        disk.put("tasks.json.journal-1", damaged);
        String place = length + " bytes from " + from;
        assertThrows(TaskInvalidStructureException.class, () -> session().load(), place);
      }
    }
    for (int from = last; from < whole.length; from++) {
      byte[] damaged = whole.clone();
      java.util.Arrays.fill(damaged, from, whole.length, (byte) 0);
      disk.put("tasks.json.journal-1", damaged);
      assertEquals(2, session().load().size(), "the last batch may have been cut off");
    }
  }

  /** One bit, anywhere. */
  @Test
  void noDamageToTheStateFileGoesUnnoticed() throws IOException {
    var session = session();
    session.load();
    List<TaskState> known = new java.util.ArrayList<>();
    for (String name : List.of("a", "b \"quoted\"", "c \ud83d\ude00")) {
      known.add(States.random(name, new SplittableRandom(name.hashCode())));
    }
    session.replaceAll(known);
    byte[] whole = Objects.requireNonNull(disk.contents("tasks.json"));
    for (int at = 0; at < whole.length - 1; at++) {
      for (int bit = 1; bit < 256; bit <<= 1) {
        byte[] damaged = whole.clone();
        damaged[at] ^= (byte) bit;
        disk.put("tasks.json", damaged);
        String place = "bit " + bit + " of byte " + at;
        var error = assertThrows(SchedulerException.class, () -> session().load(), place);
        assertTrue(error.toString().contains("tasks.json"), error.toString());
      }
    }
  }

  @Test
  void refusesAMissingJournalAndAMissingSnapshot() throws IOException {
    var session = session();
    session.load();
    session.replaceAll(List.of(States.plain("a")));
    session.update(List.of(States.plain("a")));
    byte[] journal = Objects.requireNonNull(disk.contents("tasks.json.journal-1"));
    byte[] snapshot = Objects.requireNonNull(disk.contents("tasks.json"));
    disk.remove("tasks.json.journal-1");
    assertThrows(TaskInvalidStructureException.class, () -> session().load());
    disk.put("tasks.json.journal-1", journal);
    disk.remove("tasks.json");
    assertThrows(TaskInvalidStructureException.class, () -> session().load());
    disk.put("tasks.json", snapshot);
    assertEquals(1, session().load().size());
  }

  @Test
  void neverThrowsAwayWhatItCannotRead() throws IOException {
    disk.put("tasks.json", "{\"version\":1,\"generation\":".getBytes(UTF_8));
    var before = text("tasks.json");
    var error = assertThrows(TaskInvalidStructureException.class, () -> session().load());
    assertTrue(String.valueOf(error.getMessage()).contains("line 1"), error.getMessage());
    assertEquals(before, text("tasks.json"));
  }

  @Test
  void refusesStateOfALaterVersion() {
    disk.put("tasks.json", "{\"version\":2,\"generation\":1,\"tasks\":[]}".getBytes(UTF_8));
    var error = assertThrows(TaskInvalidStructureException.class, () -> session().load());
    assertEquals("State has version 2; this library reads version 1 only", error.getMessage());
  }

  @Test
  void refusesTwoTasksOfOneName() throws IOException {
    var session = session();
    session.load();
    session.replaceAll(List.of(States.plain("a"), States.plain("b")));
    change("tasks.json", "\"b\"", "\"a\"");
    assertThrows(TaskInvalidStructureException.class, () -> session().load());
  }

  @Test
  void leavesNothingBehindButTheFileItsJournalAndItsLock(@TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("deep/er/tasks.json");
    for (int i = 0; i < 3; i++) {
      try (var session = FileTaskStore.at(file).open()) {
        session.load();
        session.replaceAll(List.of(States.plain("a")));
        session.update(List.of(States.plain("a")));
        session.replaceAll(List.of(States.plain("a")));
      }
    }
    try (var files = Files.list(directory.resolve("deep/er"))) {
      assertEquals(
          Set.of("tasks.json", "tasks.json.journal-6", "tasks.json.lock"),
          Set.copyOf(files.map(found -> found.getFileName().toString()).toList()));
    }
  }

  @Test
  void letsOneSchedulerInAtATime(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("tasks.json");
    Path link = Files.createSymbolicLink(directory.resolve("same"), directory);
    var first = FileTaskStore.at(file).open();
    for (Path way : List.of(file, link.resolve("tasks.json"))) {
      var error =
          assertThrows(TaskStoreException.class, () -> FileTaskStore.at(way).open().close());
      assertTrue(
          String.valueOf(error.getMessage())
              .contains("in use by another scheduler in this process"),
          error.getMessage());
    }
    first.close();
    FileTaskStore.at(file).open().close();
  }

  /** A disk may be full just then, and have room a minute later. */
  @Test
  void aLockThatCannotBeWrittenKeepsNobodyOutLater(@TempDir Path directory) throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.isWritable(full));
    Path lock = Files.createSymbolicLink(directory.resolve("tasks.json.lock"), full);
    for (int attempt = 0; attempt < 3; attempt++) {
      var error =
          assertThrows(
              Exception.class,
              () -> FileTaskStore.at(directory.resolve("tasks.json")).open().close());
      assertFalse(String.valueOf(error.getMessage()).contains("in this process"), error::toString);
    }
    Files.delete(lock);
  }

  /**
   * A disk that is not mounted, for example: what was remembered is not gone, it is out of sight.
   */
  @Test
  void aLinkThatLeadsNowhereIsNotTakenForNoState(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("tasks.json");
    Path elsewhere = directory.resolve("elsewhere");
    try (var session = FileTaskStore.at(file).open()) {
      session.load();
      session.replaceAll(List.of(States.plain("a")));
    }
    Files.move(file, elsewhere);
    Files.createSymbolicLink(file, directory.resolve("not mounted").resolve("tasks.json"));
    try (var session = FileTaskStore.at(file).open()) {
      assertThrows(NoSuchFileException.class, session::load);
    }
    Files.delete(file);
    Files.createSymbolicLink(file, elsewhere);
    try (var session = FileTaskStore.at(file).open()) {
      assertEquals(List.of(States.plain("a")), session.load());
    }
  }

  @Test
  void aDirectoryInTheJournalsPlaceIsNamed(@TempDir Path directory) throws IOException {
    Path stray = Files.createDirectory(directory.resolve("tasks.json.journal-1"));
    try (var session = FileTaskStore.at(directory.resolve("tasks.json")).open()) {
      var error = assertThrows(IOException.class, session::load);
      assertTrue(String.valueOf(error.getMessage()).contains(stray.toString()), error::toString);
    }
  }

  @Test
  void aSchedulerThatCannotReadItsStateDoesNotStart(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("tasks.json");
    Files.writeString(file, "[]");
    try (var scheduler = DeclarativeScheduler.create(FileTaskStore.at(file))) {
      assertThrows(
          TaskInvalidStructureException.class,
          () ->
              scheduler.initialize(
                  List.of(new Registration("a", "* * * * *", () -> {}, Duration.ZERO))));
    }
    assertEquals("[]", Files.readString(file));
    assertFalse(Files.exists(directory.resolve("tasks.json.journal-1")));
  }

  @Test
  void aSchedulerWhoseStoreCannotBeMadeSaysSo(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "").resolve("tasks.json");
    try (var scheduler = DeclarativeScheduler.create(FileTaskStore.at(file))) {
      var error = assertThrows(TaskStoreException.class, () -> scheduler.initialize(List.of()));
      assertTrue(
          String.valueOf(error.getMessage())
              .startsWith("Cannot initialize scheduler: the task store "));
      assertTrue(error.getCause() instanceof IOException, String.valueOf(error.getCause()));
    }
  }
}
