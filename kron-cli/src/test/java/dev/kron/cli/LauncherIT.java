package dev.kron.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.line.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ./kron} itself, as a process: with an empty home, an older java on the path and no
 * JAVA_HOME. Where a build is tested, Maven is a script that takes its place.
 */
class LauncherIT {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", "..")).toAbsolutePath();
  private static final Path PROGRAM = ROOT.resolve("kron-cli/target/program");

  @TempDir Path temporary;
  private Path home;
  private Path bin;
  private final Map<String, String> environment = new HashMap<>();

  private record Result(int code, String out, String err) {}

  @BeforeEach
  void prepare() throws IOException {
    home = Files.createDirectory(temporary.resolve("home"));
    bin = Files.createDirectory(temporary.resolve("bin"));
    environment.put("HOME", home.toString());
    environment.put("PATH", bin + ":/usr/bin:/bin");
    environment.put("KRON_BUILD", "never");
    Path older = temporary.resolve("jdk-17");
    Files.createDirectories(older.resolve("bin"));
    Files.writeString(older.resolve("release"), "JAVA_VERSION=\"17.0.15\"\n");
    script(older.resolve("bin/java"), "echo an older java was started >&2; exit 99");
    Files.createSymbolicLink(bin.resolve("java"), older.resolve("bin/java"));
  }

  private static Path script(Path file, String text) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Process start(Path errors, Path directory, String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    Process process = builder.redirectError(errors.toFile()).start();
    process.getOutputStream().close();
    return process;
  }

  private Result run(Path directory, String... command) throws IOException, InterruptedException {
    Path errors = Files.createTempFile(temporary, "err", "");
    Process process = start(errors, directory, command);
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "still running");
    return new Result(process.exitValue(), out, Files.readString(errors));
  }

  private Result kron(String... words) throws IOException, InterruptedException {
    assertEquals("never", environment.get("KRON_BUILD"), "the checkout under test stays as it is");
    return kronAt(ROOT, words);
  }

  private Result kronAt(Path root, String... words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(root.resolve("kron").toString()));
    command.addAll(List.of(words));
    return run(temporary, command.toArray(String[]::new));
  }

  @Test
  void findsItsOwnJavaWhateverStandsOnThePath() throws Exception {
    Result result = kron("version");
    assertEquals(0, result.code(), result.err());
    assertEquals("", result.err());
    assertTrue(result.out().contains("\njava 25"), result.out());
  }

  @Test
  void takesJavaHomeOnlyIfItIsA25() throws Exception {
    environment.put("JAVA_HOME", temporary.resolve("jdk-17").toString());
    assertEquals(0, kron("version").code());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    assertEquals(0, kron("version").code());
  }

  @Test
  void worksFromAnyDirectoryAndThroughLinks() throws Exception {
    Path far = Files.createSymbolicLink(temporary.resolve("far"), ROOT.resolve("kron"));
    Path near = Files.createDirectory(temporary.resolve("near"));
    Files.createSymbolicLink(near.resolve("kron"), Path.of("../far"));
    String expected = kron("version").out();
    assertEquals(expected, run(temporary, far.toString(), "version").out());
    assertEquals(expected, run(temporary, "near/kron", "version").out());
    assertEquals(expected, run(ROOT, "./kron", "version").out());
    assertEquals(expected, run(ROOT.resolve("kron-cli"), "../kron", "version").out());
    Files.createSymbolicLink(bin.resolve("kron"), far);
    assertEquals(expected, run(temporary, "sh", "-c", "kron version").out());
  }

  @Test
  void handsExitCodesAndArgumentsOn() throws Exception {
    assertEquals(
        new Result(ExitCode.USAGE, "", "kron: there is no command \"a  b*\"\nTry 'kron help'.\n"),
        kron("a  b*"));
  }

  @Test
  void usesAnAotCacheMadeForThisJarAndThisJvm() throws Exception {
    String hash = Files.readAllLines(PROGRAM.resolve("current")).getFirst();
    List<String> names;
    try (Stream<Path> files = Files.list(PROGRAM)) {
      names = files.map(file -> file.getFileName().toString()).toList();
    }
    String runtime = "-" + Runtime.version() + "-";
    assertTrue(
        names.stream().anyMatch(n -> n.startsWith("kron-" + hash + runtime) && n.endsWith(".aot")),
        () -> runtime + " in " + names);
    assertTrue(
        names.stream().filter(n -> n.startsWith("kron-")).allMatch(n -> n.contains(hash)),
        () -> "left over: " + names);
  }

  @Test
  void readsWordsAsUtf8WhateverTheLocale() throws Exception {
    String identity = "prüfung/日本";
    byte[] material = (identity + "\n2026-03-01T00:00:00Z\n").getBytes(UTF_8);
    String hash = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(material));
    for (String locale : List.of("", "C", "POSIX", "de_DE.ISO-8859-1", "no_SUCH.UTF-8")) {
      environment.put("LC_ALL", locale);
      // A script hands the bytes over: what Java would send depends on its own locale.
      Path script =
          script(
              bin.resolve("ask"),
              ROOT.resolve("kron")
                  + " explain --schedule '0 0 * * *' --identity '"
                  + identity
                  + "' --at @1772323200 --format json");
      Result result = run(temporary, script.toString());
      assertTrue(result.out().contains("\"seedHash\": \"" + hash + "\""), result::toString);
      assertTrue(result.out().contains("\"identity\": \"" + identity + "\""), result::toString);
    }
  }

  @Test
  void theDaemonReadsFileNamesAsUtf8WhateverTheLocale() throws Exception {
    environment.put("LC_ALL", "C");
    // A script hands the bytes over: what Java would send depends on its own locale.
    Path script =
        script(
            bin.resolve("daemon"),
            "mkdir -m 0700 konfig && cd konfig && echo '61 * * * * name=a command=/bin/true' > jöbs"
                + " && "
                + ROOT.resolve("kron")
                + " run . --state ../state");
    Result result = run(temporary, script.toString());
    assertEquals(1, result.code(), result::toString);
    assertTrue(result.err().contains("/jöbs:1:1:"), result::toString);
  }

  @Test
  void endsQuietlyInAPipeThatIsCut() throws Exception {
    Result result = run(ROOT, "bash", "-c", "./kron completion bash | true; echo ${PIPESTATUS[0]}");
    assertEquals("", result.err());
    assertTrue(List.of("0\n", "141\n").contains(result.out()), result.out());
  }

  /** A checkout that holds nothing but the launcher and sources, and a Maven that lays out ours. */
  private Path checkout(String maven) throws IOException {
    Path root = Files.createDirectory(temporary.resolve("checkout"));
    Files.copy(ROOT.resolve("kron"), root.resolve("kron"));
    Files.createDirectory(root.resolve("build"));
    Files.writeString(root.resolve("build/Program.java"), "");
    Files.copy(ROOT.resolve("build/launch"), root.resolve("build/launch"));
    Files.writeString(root.resolve("pom.xml"), "");
    for (String module : List.of("kron-cron", "kron-core", "kron-config", "kron-cli")) {
      Files.createDirectories(root.resolve(module + "/src/main/java"));
      Files.writeString(root.resolve(module + "/pom.xml"), "");
    }
    script(
        bin.resolve("mvn"),
        "echo \"$JAVA_HOME\" >>" + temporary + "/builds; p=kron-cli/target/program; " + maven);
    environment.remove("KRON_BUILD");
    return root;
  }

  private static final String LAY_OUT =
      "sleep 0.5; mkdir -p $p; cp " + PROGRAM + "/* $p/; touch $p/current";

  private List<String> builds() throws IOException {
    Path builds = temporary.resolve("builds");
    return Files.exists(builds) ? Files.readAllLines(builds) : List.of();
  }

  @Test
  void buildsOnFirstUseAndThenNoMore() throws Exception {
    Path root = checkout(LAY_OUT);
    Result first = kronAt(root, "version");
    assertEquals(0, first.code(), first.err());
    assertEquals("", first.err());
    assertEquals(first, kronAt(root, "version"));
    assertEquals(1, builds().size());
    assertTrue(Files.exists(Path.of(builds().getFirst(), "bin/javac")), "Maven gets the JDK 25");
  }

  @Test
  void buildsOnceWhenManyStartAtOnce() throws Exception {
    Path root = checkout(LAY_OUT);
    List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Path errors = temporary.resolve("errors-" + i);
      processes.add(start(errors, temporary, root.resolve("kron").toString(), "version"));
    }
    for (Process process : processes) {
      assertTrue(process.waitFor(60, TimeUnit.SECONDS), "still running");
      assertEquals(0, process.exitValue());
    }
    assertEquals(1, builds().size());
  }

  @Test
  void neverRunsCodeOlderThanItsSources() throws Exception {
    Path root = checkout(LAY_OUT);
    kronAt(root, "version");
    Path source = Files.writeString(root.resolve("kron-core/src/main/java/New.java"), "");
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));
    assertEquals(0, kronAt(root, "version").code());
    assertEquals(2, builds().size());
    environment.put("KRON_BUILD", "never");
    assertEquals(0, kronAt(root, "version").code());
    assertEquals(2, builds().size());
  }

  @Test
  void showsWhatWentWrongInABuild() throws Exception {
    Path root = checkout("echo '[INFO] noise'; echo '[ERROR] a semicolon is missing'; exit 1");
    Result result = kronAt(root, "version");
    assertEquals(ExitCode.UNAVAILABLE, result.code());
    assertEquals("", result.out());
    assertEquals(
        "kron: the build failed; its log is "
            + root
            + "/target/kron-build.log\n[ERROR] a semicolon is missing\n",
        result.err());
  }

  @Test
  void worksWithoutAnAotCache() throws Exception {
    String expected = kron("version").out();
    Path root = checkout(LAY_OUT + "; rm $p/*.aot");
    assertEquals(expected, kronAt(root, "version").out());
  }

  @Test
  void worksWithABrokenAotCache() throws Exception {
    String expected = kron("version").out();
    Result help = kron("run", "--help");
    Path root = checkout(LAY_OUT + "; for f in $p/*.aot; do echo broken >$f; done");
    assertEquals(new Result(0, expected, ""), kronAt(root, "version"));
    assertEquals(help, kronAt(root, "run", "--help"));
  }

  @Test
  void theDaemonHasAnAotCacheOfItsOwn() throws Exception {
    Path config = Files.createDirectory(temporary.resolve("config"));
    Path errors = temporary.resolve("daemon");
    Process daemon =
        start(
            errors,
            temporary,
            ROOT.resolve("krond").toString(),
            config.toString(),
            "--state",
            temporary.resolve("state").toString(),
            "--socket",
            "none");
    try {
      long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (!Files.readString(errors).contains("event=ready")) {
        assertTrue(daemon.isAlive() && System.nanoTime() < giveUp, Files.readString(errors));
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
      String maps = Files.readString(Path.of("/proc", Long.toString(daemon.pid()), "maps"));
      assertTrue(maps.contains("-run.aot"), maps);
    } finally {
      daemon.destroy();
      assertTrue(daemon.waitFor(60, TimeUnit.SECONDS), "still running");
    }
  }

  @Test
  void doesNotBuildWhereThatIsForbidden() throws Exception {
    Path root = checkout(LAY_OUT);
    environment.put("KRON_BUILD", "never");
    assertEquals(ExitCode.UNAVAILABLE, kronAt(root, "version").code());
    assertEquals(List.of(), builds());
  }

  @Test
  void saysWhatToInstallWhereThereIsNoJdk() throws Exception {
    Path root = checkout(LAY_OUT);
    String text = Files.readString(root.resolve("kron"));
    // The places where a JDK may lie, moved to where none is.
    Files.writeString(
        root.resolve("kron"),
        text.replaceAll("(?<=[ \\n])/(usr/lib/jvm|usr/java|opt|Library)/", "/nowhere/"));
    Result result = kronAt(root, "version");
    assertEquals(ExitCode.UNAVAILABLE, result.code());
    assertTrue(result.err().startsWith("kron: a JDK 25 is needed"), result.err());
    assertTrue(result.err().contains("openjdk-25-jdk"), result.err());
    assertTrue(result.err().contains("sdk install java 25"), result.err());
    assertEquals(List.of(), builds());
  }
}
