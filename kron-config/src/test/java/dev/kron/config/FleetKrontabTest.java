package dev.kron.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.FleetRules;
import dev.kron.job.FleetRules.Loss;
import dev.kron.job.JobSpec;
import dev.kron.job.Placement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Krontabs below {@code fleet/}: two more fields, and identities without the machine's paths. */
class FleetKrontabTest {
  private static final String ENTRY = "0 0 * * * name=a command=/bin/true ";

  private static Krontab parse(String text) {
    return new KrontabParser(KrontabParser.Settings.DEFAULT)
        .parseFleet(Path.of("/etc/krond.d/fleet/db.kron"), "db.kron", "n1", text.getBytes(UTF_8));
  }

  private static FleetRules rules(String fields) {
    Krontab krontab = parse(ENTRY + fields);
    assertEquals(List.of(), krontab.diagnostics());
    FleetRules rules = krontab.jobs().getFirst().fleet();
    assertNotNull(rules);
    return rules;
  }

  @Test
  void aJobIsKnownByThePathBelowTheDirectory() {
    JobSpec job = parse(ENTRY + "then=b\n@manual name=b command=/bin/true").jobs().getFirst();
    assertEquals("fleet:db.kron:a", job.identity());
    assertEquals(List.of("fleet:db.kron:b"), job.rules().then());
    assertEquals("/etc/krond.d/fleet/db.kron", job.file());
  }

  @Test
  void saysWhereAJobRuns() {
    assertEquals(new FleetRules("db.kron", Placement.ANY, Loss.SKIP, "n1"), rules(""));
    assertEquals(Placement.ANY, rules("on=any").on());
    assertEquals(Placement.ALL, rules("on=all").on());
    assertEquals(new Placement("web", false), rules("on=label:web").on());
    assertEquals(new Placement("web", true), rules("on=\"label:web,all\"").on());
    assertEquals(Loss.RERUN, rules("loss=rerun").loss());
    for (String on : List.of("any", "all", "label:web", "label:web,all")) {
      assertEquals(on, rules("on=\"" + on + "\"").on().toString());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          on=everywhere       | 1:39: on is "everywhere"; expected any, all, "label:NAME" or "label:NAME,all"
          on=label:           | 1:39: on is "label:"; expected any, all, "label:NAME" or "label:NAME,all"
          on="label:a,b"      | 1:40: on is "label:a,b"; expected any, all, "label:NAME" or "label:NAME,all"
          loss=retry          | 1:41: loss is "retry"; expected skip or rerun
          on=any on=all       | 1:43: a second on; the first one stands in column 36
          """)
  void saysWhatIsWrong(String fields, String said) {
    assertEquals(
        List.of("/etc/krond.d/fleet/db.kron:" + said),
        parse(ENTRY + fields).diagnostics().stream().map(Diagnostic::toString).toList());
  }

  @Test
  void aStartOfAMachineIsEveryNodesOwn() {
    assertTrue(parse("@boot on=all name=a command=/bin/true").isValid());
    assertTrue(parse("@boot on=\"label:web,all\" name=a command=/bin/true").isValid());
    assertEquals(
        List.of(
            "/etc/krond.d/fleet/db.kron:1:1: @boot is a start of one machine, so every node runs it"
                + " for itself; add on=all"),
        parse("@boot name=a command=/bin/true").diagnostics().stream()
            .map(Diagnostic::toString)
            .toList());
  }

  @Test
  void otherKrontabsKnowNeitherField() {
    assertFalse(Krontabs.parse(ENTRY + "on=any").isValid());
    assertFalse(Krontabs.parse(ENTRY + "loss=skip").isValid());
    assertNull(Krontabs.job(ENTRY).fleet());
  }

  @Test
  void filesAreReadUnderTheRulesForAllOthers(@TempDir Path directory) throws IOException {
    mode(directory, "rwxr-xr-x");
    ConfigFiles.Settings reading = ConfigFiles.Settings.of(Account.current());
    Path krontabs = Files.createDirectory(directory.resolve("fleet"));
    mode(krontabs, "rwxr-xr-x");
    write(krontabs.resolve("b.kron"), ENTRY, "rw-r--r--");
    assertNull(read(directory, reading).file());
    assertEquals(List.of(), read(directory, reading).krontabs());

    write(
        directory.resolve("fleet.toml"),
        "[fleet]\nurl = \"jdbc:postgresql://localhost/kron\"\nprofile = \"fleet\"\n",
        "rw-r--r--");
    write(krontabs.resolve("a.kron"), ENTRY, "rw-rw-rw-");
    write(krontabs.resolve("c.krontab"), ENTRY, "rw-r--r--");
    write(krontabs.resolve("c.kron~"), ENTRY, "rw-r--r--");
    mode(Files.createDirectory(krontabs.resolve("sub.kron")), "rwxr-xr-x");
    FleetFiles.Found found = read(directory, reading);
    assertFalse(found.isValid());
    assertEquals(
        List.of(Krontab.Status.REFUSED, Krontab.Status.READ),
        found.krontabs().stream().map(Krontab::status).toList());
    assertEquals("fleet:b.kron:a", found.krontabs().get(1).jobs().getFirst().identity());
    assertEquals(
        List.of(
            "c.krontab: krontabs of a fleet are called *.kron",
            "c.kron~: krontabs of a fleet are called *.kron",
            "sub.kron: a directory"),
        found.passedOver().stream()
            .map(each -> each.file().getFileName() + ": " + each.reason())
            .toList());

    mode(krontabs, "rwxrwxrwx");
    found = read(directory, reading);
    assertFalse(found.isValid());
    assertEquals(0, found.krontabs().stream().mapToInt(each -> each.jobs().size()).sum());
    assertTrue(found.krontabs().getFirst().diagnostics().toString().contains("world-writable"));
  }

  private static FleetFiles.Found read(Path directory, ConfigFiles.Settings reading) {
    return FleetFiles.read(directory, reading, KrontabParser.Settings.DEFAULT, EntryInspector.NONE);
  }

  private static void write(Path file, String text, String mode) throws IOException {
    Files.writeString(file, text);
    mode(file, mode);
  }

  private static void mode(Path file, String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }
}
