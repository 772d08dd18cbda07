package dev.kron.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.config.ConfigFiles.Configuration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong between service files, at the entries that have to be mended. */
class ServicesTogetherTest {
  @TempDir Path temporary;
  private Path directory = Path.of("/");

  @BeforeEach
  void place() throws IOException {
    directory = Files.createDirectory(temporary.resolve("krond.d"));
  }

  private void service(String name, String... lines) throws IOException {
    write(
        name + ".toml",
        "[service]\nexec = \"/bin/" + name + "\"\n[dependencies]\n" + String.join("\n", lines));
  }

  private void write(String name, String text) throws IOException {
    Files.write(directory.resolve(name), text.getBytes(UTF_8));
  }

  private Configuration read() {
    return ConfigFiles.read(
        List.of(directory),
        ConfigFiles.Settings.of(Account.current()).withSecure(false),
        KrontabParser.Settings.DEFAULT);
  }

  private List<String> said() {
    return read().diagnostics().stream()
        .map(each -> each.toString().replace(directory + "/", ""))
        .toList();
  }

  @Test
  void readsServicesBesideKrontabs() throws IOException {
    service("db");
    service("web", "requires = [\"db\"]");
    write("jobs.kron", "0 0 * * * name=a command=/bin/true\n");
    Configuration configuration = read();
    assertTrue(configuration.isValid());
    assertEquals(1, configuration.krontabs().size());
    assertEquals(
        List.of("db", "web"), configuration.services().stream().map(ServiceFile::name).toList());
    assertEquals(List.of(), configuration.passedOver());
  }

  @Test
  void namesAWholeCycle() throws IOException {
    service("a", "requires = [\"b\"]");
    service("b", "wants = []", "after = [\"x\", \"c\"]");
    service("c", "requires = [\"a\"]");
    service("x");
    assertEquals(
        List.of(
            "a.toml:4:13: these wait for each other, so that none can start: a requires b, b comes"
                + " after c, c requires a"),
        said());
  }

  @Test
  void findsWhatIsMissingAndWhatWasMeant() throws IOException {
    service("web", "requires = [\"databse\", \"nothing\"]", "conflicts = [\"web\"]");
    service("database");
    assertEquals(
        List.of(
            "web.toml:4:13: web requires \"databse\", and there is no such service; did you mean"
                + " \"database\"?",
            "web.toml:4:24: web requires \"nothing\", and there is no such service",
            "web.toml:5:14: web conflicts with itself"),
        said());
  }

  @Test
  void findsAServiceThatNeedsWhatItMustNotRunBeside() throws IOException {
    service("db");
    service("web", "requires = [\"db\"]", "conflicts = [\"db\"]");
    assertEquals(
        List.of("web.toml:5:14: web requires db and conflicts with it, so that it can never start"),
        said());
  }

  @Test
  void refusesANameThatStandsTwice() throws IOException {
    service("web");
    write("other.toml", "[service]\nname = \"web\"\nexec = \"/bin/web\"\n");
    assertEquals(
        List.of(
            "web.toml:1:1: the name \"web\" belongs to the service in other.toml already; names are"
                + " unique across files"),
        said().stream().map(line -> line.replace(directory + "/", "")).toList());
  }

  @Test
  void blamesABrokenFileOnlyForItself() throws IOException {
    service("web", "requires = [\"db\"]");
    write("db.toml", "[service]\nexec = 3\n");
    assertEquals(
        List.of(
            "db.toml:2:8: exec is the number 3; expected a text, \"/usr/bin/web --port 8080\", or a"
                + " list of words"),
        said());
  }

  @Test
  void trustsAServiceFileAsItTrustsAKrontab() throws IOException {
    service("web");
    Files.setPosixFilePermissions(
        directory.resolve("web.toml"),
        java.nio.file.attribute.PosixFilePermissions.fromString("rw-rw-rw-"));
    Configuration read =
        ConfigFiles.read(
            List.of(directory.resolve("web.toml")),
            ConfigFiles.Settings.of(Account.current()),
            KrontabParser.Settings.DEFAULT);
    assertFalse(read.isValid());
    assertTrue(read.diagnostics().toString().contains("world-writable"), read.toString());
    assertEquals(Krontab.Status.REFUSED, read.services().getFirst().status());
  }
}
