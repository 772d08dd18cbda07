package dev.kron.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.ConfigFiles.Settings;
import dev.kron.config.Krontab.Status;
import dev.kron.job.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files are read, and which are trusted; with real files, modes, owners, links and pipes. */
class ConfigFilesTest {
  private static final String ENTRY = "0 0 * * * name=a command=/bin/true\n";
  private static final Account SELF = Account.current();
  private static final int STRANGER = 54321;

  @TempDir Path temporary = Path.of("");
  private Path directory = Path.of("");

  @BeforeEach
  void makeDirectory() throws IOException {
    directory = Files.createDirectory(temporary.resolve("krond.d"));
    mode(directory, "rwxr-xr-x");
  }

  @Test
  void readsTheKrontabsOfADirectoryByName() throws IOException {
    write("b.kron", ENTRY);
    write("a.krontab", ENTRY);
    write("c", ENTRY);
    write("web.toml", "[service]\nexec = \"/bin/web\"\n");
    write(".hidden", "");
    write("c~", "");
    write("c.rpmsave", "");
    write("notes.txt", "");
    mode(Files.createDirectory(directory.resolve("sub")), "rwxr-xr-x");
    mode(Files.createDirectory(directory.resolve("credentials")), "rwx------");
    Configuration configuration = read(settings(), directory);
    assertTrue(configuration.isValid(), configuration.diagnostics().toString());
    assertEquals(
        List.of("a.krontab:a", "b.kron:a", "c:a"),
        configuration.krontabs().stream()
            .flatMap(krontab -> krontab.jobs().stream())
            .map(JobSpec::identity)
            .map(identity -> identity.substring(directory.toString().length() + 1))
            .toList());
    assertEquals(
        List.of(
            ".hidden: a hidden file",
            "c.rpmsave: a copy left by an editor or a package manager",
            "c~: a copy left by an editor or a package manager",
            "notes.txt: krontabs are called *.kron, *.krontab, or have no dot in their name,"
                + " services *.toml",
            "sub: a directory"),
        configuration.passedOver().stream()
            .map(file -> directory.relativize(file.file()) + ": " + file.reason())
            .toList());
  }

  @Test
  void readsANamedFileWhateverItIsCalled() throws IOException {
    Path file = write("notes.txt", ENTRY);
    assertTrue(read(settings(), file).isValid());
  }

  @Test
  void readsAFileOnce() throws IOException {
    Path file = write("a.kron", ENTRY);
    Path detour = directory.resolve("../krond.d/./a.kron");
    assertEquals(1, read(settings(), directory, file, detour).krontabs().size());
  }

  @Test
  void tellsTheErrorsOfAllFiles() throws IOException {
    write("a.kron", "nonsense\n");
    write("b.kron", ENTRY + "0 0 * * * name=b\n");
    assertEquals(
        2,
        read(settings(), directory).diagnostics().stream()
            .map(Diagnostic::file)
            .distinct()
            .count());
  }

  @Test
  void refusesAWorldWritableFile() throws IOException {
    Path file = mode(write("a.kron", ENTRY), "rw-r--rw-");
    assertRefused(file, "the file is world-writable: chmod o-w " + file);
  }

  @Test
  void acceptsAGroupWritableFileOnlyOfTheDaemonsGroup() throws IOException {
    Path file = mode(write("a.kron", ENTRY), "rw-rw-r--");
    assertTrue(read(settings(), directory).isValid());
    int otherGroup = SELF.gid() + 1;
    Settings other = Settings.of(new Account(SELF.uid(), otherGroup));
    assertEquals(
        "the file is writable by its group, gid "
            + SELF.gid()
            + ", which is not the daemon's (gid "
            + otherGroup
            + "): chmod g-w "
            + file,
        message(read(other, directory)));
  }

  @Test
  void refusesAFileOfSomebodyElse() throws IOException {
    assumeTrue(SELF.uid() == 0, "only root can give files away");
    Path file = write("a.kron", ENTRY);
    Files.setAttribute(file, "unix:uid", STRANGER);
    assertRefused(file, file + " belongs to uid 54321; it must belong to root: chown 0 " + file);
  }

  @Test
  void acceptsFilesOfRootAndOfTheDaemonsUser() throws IOException {
    assumeTrue(SELF.uid() == 0, "only root can give files away");
    write("a.kron", ENTRY);
    Files.setAttribute(write("b.kron", ENTRY), "unix:uid", STRANGER);
    Settings stranger = Settings.of(new Account(STRANGER, STRANGER));
    assertTrue(read(stranger, directory).isValid());
  }

  @Test
  void refusesALinkUnlessAllowed() throws IOException {
    Path target = Files.writeString(temporary.resolve("target"), ENTRY);
    mode(target, "rw-r--r--");
    Path link = Files.createSymbolicLink(directory.resolve("a.kron"), target);
    assertRefused(
        link,
        "the file is a symbolic link, which is followed only with --follow-symlinks; or put the"
            + " file itself here");
    Configuration followed = read(settings().withFollowLinks(true), directory);
    assertTrue(followed.isValid(), followed.diagnostics().toString());
    // The identity keeps the name that was configured, not the one that the link leads to.
    assertEquals(link + ":a", followed.krontabs().getFirst().jobs().getFirst().identity());
  }

  @Test
  void checksWhatALinkLeadsTo() throws IOException {
    Path open = mode(Files.createDirectory(temporary.resolve("open")), "rwxrwxrwx");
    Path target = mode(Files.writeString(open.resolve("target"), ENTRY), "rw-r--r--");
    Files.createSymbolicLink(directory.resolve("a.kron"), target);
    assertEquals(
        "the directory " + open + " is world-writable: chmod o-w " + open,
        message(read(settings().withFollowLinks(true), directory)));
  }

  @Test
  void refusesALinkOfSomebodyElse() throws IOException {
    assumeTrue(SELF.uid() == 0, "only root can give links away");
    Path target = mode(Files.writeString(temporary.resolve("target"), ENTRY), "rw-r--r--");
    Path link = Files.createSymbolicLink(directory.resolve("a.kron"), target);
    Files.getFileAttributeView(link, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .setOwner(
            link.getFileSystem()
                .getUserPrincipalLookupService()
                .lookupPrincipalByName(Integer.toString(STRANGER)));
    assertTrue(message(read(settings().withFollowLinks(true), directory)).contains("54321"));
  }

  @Test
  void followsLinkedDirectoriesWhereAllowedAndChecksThem() throws IOException {
    write("a.kron", ENTRY);
    Path alias = Files.createSymbolicLink(temporary.resolve("alias"), Path.of("krond.d"));
    Path above = Files.createSymbolicLink(temporary.resolve("above"), temporary);
    Settings following = settings().withFollowLinks(true);
    for (Path path : List.of(alias, alias.resolve("a.kron"), above.resolve("krond.d"))) {
      Path link = path.startsWith(alias) ? alias : above;
      assertEquals(
          link
              + " is a symbolic link, which is followed only with --follow-symlinks; or name the"
              + " directory that it leads to",
          message(read(settings(), path)));
      assertTrue(read(following, path).isValid(), path::toString);
    }
    mode(directory, "rwxrwxrwx");
    assertEquals(Status.REFUSED, read(following, alias).krontabs().getFirst().status());
  }

  @Test
  void survivesLinksInACircle() throws IOException {
    Path one = directory.resolve("one");
    Path two = directory.resolve("two");
    Files.createSymbolicLink(one, two);
    Files.createSymbolicLink(two, one);
    Configuration configuration = read(settings().withFollowLinks(true), directory);
    assertEquals(2, configuration.diagnostics().size());
    assertEquals(
        Status.UNREADABLE, read(settings(), one.resolve("x")).krontabs().getFirst().status());
  }

  @Test
  void refusesFilesBelowADirectoryThatOthersCanWriteTo() throws IOException {
    Path file = write("a.kron", ENTRY);
    mode(directory, "rwxr-xrwx");
    String expected = "the directory " + directory + " is world-writable: chmod o-w " + directory;
    assertEquals(expected, message(read(settings(), file)));
    assertEquals(expected, message(read(settings(), directory)));
  }

  @Test
  void letsANamedFileLieInAStickyDirectoryButNoConfiguration() throws IOException {
    Path file = write("a.kron", ENTRY);
    Files.setAttribute(directory, "unix:mode", 041777);
    assertTrue(read(settings(), file).isValid());
    assertEquals(
        "the directory is world-writable: chmod o-w " + directory,
        message(read(settings(), directory)));
  }

  @Test
  void refusesFilesBelowADirectoryOfSomebodyElse() throws IOException {
    assumeTrue(SELF.uid() == 0, "only root can give directories away");
    write("a.kron", ENTRY);
    Files.setAttribute(directory, "unix:uid", STRANGER);
    assertEquals(Status.REFUSED, read(settings(), directory).krontabs().getFirst().status());
  }

  @Test
  void doesNotWaitForANamedPipe() throws Exception {
    Path pipe = directory.resolve("pipe.kron");
    assertEquals(0, new ProcessBuilder("mkfifo", "-m", "600", pipe.toString()).start().waitFor());
    assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> assertRefused(pipe, "this is a named pipe, not a regular file"));
  }

  @Test
  void refusesADirectoryInPlaceOfAFileSilently() throws IOException {
    mode(Files.createDirectory(directory.resolve("jobs.kron")), "rwxr-xr-x");
    assertTrue(read(settings(), directory).isValid());
  }

  @Test
  void refusesAFileThatIsTooLarge() throws IOException {
    Path file = write("a.kron", "#" + "x".repeat(63) + "\n");
    assertTrue(read(settings().withMaximumFileBytes(65), directory).isValid());
    assertEquals(
        "the file has 65 bytes, the limit is 64; split it into several files, or raise the limit",
        message(read(settings().withMaximumFileBytes(64), file)));
  }

  @Test
  void saysWhatCannotBeRead() throws IOException {
    Configuration missing = read(settings(), directory.resolve("none.kron"));
    assertEquals(Status.UNREADABLE, missing.krontabs().getFirst().status());
    assertEquals("there is no such file or directory", message(missing));
    assumeTrue(SELF.uid() != 0, "root may read everything");
    mode(write("a.kron", ENTRY), "-w-------");
    assertEquals(
        "the file cannot be read: permission denied", message(read(settings(), directory)));
  }

  @Test
  void readsAnythingWhereSecurityIsOff() throws IOException {
    mode(write("a.kron", ENTRY), "rw-rw-rw-");
    mode(directory, "rwxrwxrwx");
    assertTrue(read(settings().withSecure(false), directory).isValid());
  }

  @Test
  void noticesAFileThatIsReplacedWhileItIsRead() throws Exception {
    // Good and bad content take turns under one name; whatever is read must be one of them, whole,
    // and the world-writable one must never get in.
    Path good = mode(Files.writeString(temporary.resolve("good"), ENTRY), "rw-r--r--");
    Path bad =
        mode(
            Files.writeString(temporary.resolve("bad"), ENTRY.replace("name=a", "name=evil")),
            "rw-rw-rw-");
    Path file = directory.resolve("a.kron");
    Files.createLink(file, good);
    Thread swapping =
        Thread.ofPlatform()
            .start(
                () -> {
                  Path spare = directory.resolve(".spare");
                  for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                    try {
                      Files.createLink(spare, i % 2 == 0 ? bad : good);
                      Files.move(spare, file, StandardCopyOption.ATOMIC_MOVE);
                      Files.deleteIfExists(spare);
                    } catch (IOException e) {
                      return;
                    }
                  }
                });
    try {
      for (int i = 0; i < 300; i++) {
        for (Krontab krontab : read(settings(), directory).krontabs()) {
          for (JobSpec job : krontab.jobs()) {
            assertEquals("a", job.name());
          }
        }
      }
    } finally {
      swapping.interrupt();
      swapping.join();
    }
  }

  private static Settings settings() {
    return Settings.of(SELF);
  }

  private static Configuration read(Settings settings, Path... paths) {
    return ConfigFiles.read(List.of(paths), settings, KrontabParser.Settings.DEFAULT);
  }

  private void assertRefused(Path file, String message) {
    Configuration configuration = read(settings(), directory);
    assertEquals(file + ":1:1: " + message, configuration.diagnostics().getFirst().toString());
    assertEquals(1, configuration.diagnostics().size());
    assertEquals(Status.REFUSED, configuration.krontabs().getFirst().status());
  }

  private static String message(Configuration configuration) {
    return configuration.diagnostics().getFirst().message();
  }

  private Path write(String name, String text) throws IOException {
    return mode(Files.writeString(directory.resolve(name), text), "rw-r--r--");
  }

  private static Path mode(Path path, String mode) throws IOException {
    return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }
}
