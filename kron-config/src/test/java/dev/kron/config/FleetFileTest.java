package dev.kron.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FleetFileTest {
  private static final String URL =
      "url = \"jdbc:postgresql://db.example/kron?sslmode=verify-full\"\n";
  private static final String SHORT = "[fleet]\n" + URL + "profile = \"fleet\"\n";

  private static FleetFile parse(String text) {
    return FleetParser.parse(Path.of("/etc/krond.d/fleet.toml"), text.getBytes(UTF_8), 4096);
  }

  private static List<String> said(String text) {
    return parse(text).diagnostics().stream()
        .map(each -> each.toString().substring("/etc/krond.d/fleet.toml:".length()))
        .toList();
  }

  @Test
  void saysWhereTheFleetMeets() {
    FleetFile file =
        parse(
            SHORT
                + """
                node = "web-3"
                labels = ["web", "eu", "web"]
                lease = "3s"
                output = true
                """);
    assertEquals(List.of(), file.diagnostics());
    assertEquals(
        new FleetFile.Settings(
            "jdbc:postgresql://db.example/kron?sslmode=verify-full",
            "fleet",
            "web-3",
            List.of("web", "eu"),
            Duration.ofSeconds(3),
            true),
        file.settings());
  }

  @Test
  void hasDefaults() {
    FleetFile.Settings settings = parse(SHORT).settings();
    assertNotNull(settings);
    assertNull(settings.node());
    assertEquals(List.of(), settings.labels());
    assertEquals(Duration.ofSeconds(30), settings.lease());
    assertFalse(settings.output());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          leas = "3s"           | 4:1: unknown key "leas"; did you mean "lease"?
          lease = "2s"          | 4:9: lease is "2s"; expected 3s to 1h
          lease = "61m"         | 4:9: lease is "61m"; expected 3s to 1h
          lease = 3             | 4:9: lease is the number 3; expected a text, such as lease = "30s"
          node = "a b"          | 4:8: node is "a b", which holds " "; expected letters, digits, "-", "_" and "."
          node = ""             | 4:8: node is empty; expected something such as "web-3"
          labels = "web"        | 4:10: labels is the text "web"; expected a list of texts, such as labels = ["web"]
          labels = ["a","b,c"]  | 4:15: a label is "b,c", which holds ","; expected letters, digits, "-", "_" and "."
          output = "yes"        | 4:10: output is the text "yes"; expected true or false, without quotes
          [other]               | 4:1: unknown key "other"; the keys here are fleet
          """)
  void saysWhatIsWrongAndWhere(String line, String said) {
    assertEquals(List.of(said), said(SHORT + line + "\n"));
    assertNull(parse(SHORT + line + "\n").settings());
  }

  @Test
  void namesWhatIsMissing() {
    assertEquals(List.of("1:1: the table [fleet] is missing"), said(""));
    assertEquals(
        List.of(
            "1:1: url is missing in [fleet]; write url ="
                + " \"jdbc:postgresql://db.example/kron?sslmode=verify-full\"",
            "1:1: profile is missing in [fleet]; write profile = \"fleet\""),
        said("[fleet]\n"));
    assertEquals(
        List.of(
            "3:11: profile is \"../x\", which holds \".\"; a profile's name is made of a-z, 0-9 and"
                + " \"-\""),
        said("[fleet]\n" + URL + "profile = \"../x\"\n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://localhost/kron",
        "jdbc:postgresql://127.0.0.1:5433/kron?sslmode=disable",
        "jdbc:postgresql://[::1]:5433/kron",
        "jdbc:postgresql://localhost:1,127.0.0.2:2/kron",
        "jdbc:postgresql://a.example:5432,b.example/kron?sslrootcert=/etc/ca.pem&sslmode=verify-full",
      })
  void acceptsWhatIsSafe(String url) {
    assertNull(FleetUrl.problem(url));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db.example/kron",
        "jdbc:postgresql://db.example/kron?sslmode=require",
        "jdbc:postgresql://db.example/kron?sslmode=verify-full&sslmode=disable",
        "jdbc:postgresql://localhost,db.example/kron",
        "jdbc:postgresql://localhost.evil.example/kron",
        "jdbc:postgresql://127.0.0.1.evil.example/kron",
        "jdbc:postgresql://10.0.0.1/kron?sslmode=prefer",
        "jdbc:postgresql://db.example/kron?sslmode=verify-full&sslfactory=org.postgresql.ssl.NonValidatingFactory",
        "jdbc:postgresql://localhost/kron?socketFactory=evil",
        "jdbc:postgresql://localhost/kron?user=a&password=hunter2",
        "jdbc:postgresql://u:hunter2@localhost/kron",
        "jdbc:postgresql://localhost/",
        "jdbc:postgresql:kron",
        "jdbc:postgresql://localhost",
        "jdbc:postgresql:///kron",
        "jdbc:mysql://localhost/kron",
        "postgresql://localhost/kron",
        "jdbc:postgresql://localhost/kron?sslmode",
      })
  void refusesWhatIsNotSafeAndRepeatsNoSecret(String url) {
    String problem = FleetUrl.problem(url);
    assertNotNull(problem);
    assertFalse(problem.contains("hunter2"), problem);
  }

  @Test
  void namesSecretsThatAreMissingAndShowsNone(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("fleet.toml"), SHORT);
    mode(directory, "rwxr-xr-x");
    mode(file, "rw-r--r--");
    Path credentials = Files.createDirectory(directory.resolve("credentials"));
    mode(credentials, "rwx------");
    Path profile = Files.writeString(credentials.resolve("fleet.env"), "PGUSER=hunter2\n");
    mode(profile, "rw-------");
    ConfigFiles.Settings reading = ConfigFiles.Settings.of(Account.current());
    FleetFile fleet =
        FleetFiles.read(directory, reading, KrontabParser.Settings.DEFAULT, EntryInspector.NONE)
            .file();
    assertNotNull(fleet);
    assertEquals(
        List.of(
            profile
                + ":1:1: PGPASSWORD is missing; fleet.toml names this profile for the database"),
        fleet.missingSecrets(reading).stream().map(Diagnostic::toString).toList());
    Files.delete(profile);
    assertTrue(
        fleet.missingSecrets(reading).toString().contains("the credential profile does not exist"));
  }

  private static void mode(Path file, String mode) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  @Test
  void readsWhateverTheBytesAre() {
    long seed = Long.getLong("kron.seed", 20261117);
    Random random = new Random(seed);
    byte[] good = (SHORT + "labels = [\"a\"]\nlease = \"9s\"\n").getBytes(UTF_8);
    for (int i = 0; i < 500; i++) {
      byte[] bytes = good.clone();
      for (int n = random.nextInt(4); n >= 0; n--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      FleetFile file = FleetParser.parse(Path.of("/f.toml"), bytes, 4096);
      assertEquals(file.isValid(), file.settings() != null, "seed " + seed + ", round " + i);
    }
  }
}
