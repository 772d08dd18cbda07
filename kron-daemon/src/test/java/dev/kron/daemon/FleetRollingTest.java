package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.schedule.Schedule;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three daemons on one real PostgreSQL, under load, whose krontab is changed on one after the
 * other, and which are then stopped and started in another version, one after the other. A build
 * does it once; {@code -Dkron.fleet.rounds=20} as often as that.
 */
@Timeout(3600)
final class FleetRollingTest {
  private static final int ROUNDS = Integer.getInteger("kron.fleet.rounds", 1);
  private static final int JOBS = 200;

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path directory;

  @Test
  void noPeriodRunsTwiceAndNoneIsLostWhileFilesAndVersionsChange() throws Exception {
    Map<String, Schedule> schedules = new LinkedHashMap<>();
    for (int i = 0; i < JOBS; i++) {
      schedules.put("short" + i, Schedule.parse(schedule(i)));
    }
    Path script = FleetEvidence.script(directory);
    try (var fleet = new TestFleet(directory, "3s", krontab(script, 0))) {
      fleet.startAll();
      long from = fleet.clock();
      for (int round = 1; round <= ROUNDS; round++) {
        changeFiles(fleet, krontab(script, round));
        upgrade(fleet, "9." + round);
      }
      long to = fleet.clock();
      var last =
          new AtomicReference<>(new FleetEvidence(fleet, schedules, FleetEvidence.Known.nothing()));
      FleetTroubles.await(
          "everything to be run and told",
          () -> {
            last.set(new FleetEvidence(fleet, schedules, FleetEvidence.Known.nothing()));
            return fleet.clock() > to + 4000
                && (fleet.clock() > to + 90_000
                    || (last.get().notRun(from, to).isEmpty() && last.get().untrue().isEmpty()));
          });
      assertEquals(List.of(), last.get().tooMuch());
      assertEquals(List.of(), last.get().notRun(from, to));
      assertEquals(List.of(), last.get().untrue());
      System.out.printf(
          "%d rolling changes and upgrades, %d periods due%n",
          ROUNDS, last.get().expected(from, to).size());
    }
  }

  /** Throughout the minute, and never so close that one run could keep the next from beginning. */
  private static String schedule(int i) {
    return "* * * * * @win(%s,40s) @policy(deadline=1m)".formatted(i % 2 == 0 ? "after" : "before");
  }

  private String krontab(Path script, int round) {
    var krontab = new StringBuilder();
    for (int i = 0; i < JOBS; i++) {
      krontab.append(
          "%s name=short%d command=\"/bin/sh %s 0\" env=EVIDENCE=%s env=ROUND=%d\n"
              .formatted(schedule(i), i, script, directory.resolve("evidence"), round));
    }
    return krontab.toString();
  }

  private static void changeFiles(TestFleet fleet, String krontab) throws Exception {
    String before = definition(fleet);
    for (TestFleet.Node node : fleet.nodes) {
      node.write(krontab);
      assertEquals(200, node.caller().post("/v1/reload").status());
      FleetTroubles.pass(200);
    }
    FleetTroubles.await("the files to be in force", () -> !definition(fleet).equals(before));
  }

  private static String definition(TestFleet fleet) throws Exception {
    return fleet.sql("SELECT min(definition) FROM kron.job WHERE identity LIKE '%:short0'");
  }

  private void upgrade(TestFleet fleet, String version) throws Exception {
    Path archive = archive(version);
    for (TestFleet.Node node : fleet.nodes) {
      assertEquals(0, node.stop());
      node.upgrade(archive);
      node.start();
      node.awaitIn();
    }
    FleetTroubles.await(
        "all to be of that version",
        () ->
            fleet
                .sql("SELECT count(*) FROM kron.node WHERE version = '" + version + "'")
                .equals(Integer.toString(TestFleet.NODES)));
  }

  /** The daemon's classes, with another version on them. */
  private Path archive(String version) throws Exception {
    Path classes =
        Path.of(Daemon.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path archive = directory.resolve("kron-daemon-" + version + ".jar");
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
    try (OutputStream out = Files.newOutputStream(archive);
        var jar = new JarOutputStream(out, manifest);
        var files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        add(jar, classes.relativize(file).toString(), file);
      }
    }
    return archive;
  }

  private static void add(JarOutputStream jar, String name, Path file) throws IOException {
    if (!name.equals("META-INF/MANIFEST.MF")) {
      jar.putNextEntry(new JarEntry(name));
      Files.copy(file, jar);
      jar.closeEntry();
    }
  }
}
