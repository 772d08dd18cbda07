package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A keeper may have more rights than its command: nothing that a job decides is executed by it,
 * changes it, or can be read by others. For every script there is, and every word in them.
 */
@Timeout(120)
class KeeperRightsTest {

  private static final String SHELLS = "dev.kron.process.Shells#installed";
  private static final Path SCRIPTS = Path.of("src/main/resources/dev/kron/process");
  private static final String SECRET = "s3cret-5a17";

  /** What a shell does itself; {@code typeset} only where bash is asked for it. */
  private static final Set<String> BUILTINS =
      Set.of(
          "[", "cd", "echo", "eval", "exec", "exit", "export", "read", "set", "shift", "times",
          "trap", "ulimit", "umask", "unset");

  /** What the daemon found in the system's directories, and the command itself. */
  private static final Set<String> NAMED_BY_THE_DAEMON = Set.of("\"$7\"", "\"$@\"", "\"$9\"");

  private static final Pattern KEEPERS_OWN =
      Pattern.compile(
          "KRON_RUN_ID|kron_keeper_([0-9]+|export_[0-9]+|script|gate|start|variables)|PWD|OLDPWD|SHLVL|_");

  @TempDir Path root;
  private Path hostile;
  private Path ran;
  private Path go;

  @BeforeEach
  void plant() throws IOException {
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    hostile = Files.createDirectory(root.resolve("hostile"));
    ran = Files.createDirectory(root.resolve("ran"));
    Files.setPosixFilePermissions(ran, PosixFilePermissions.fromString("rwxrwxrwx"));
    go = root.resolve("go");
    Set<String> names = new TreeSet<>(List.of("env", "setpriv", "setsid", "sh", "sleep", "true"));
    for (Path script : scripts()) {
      names.addAll(List.of(Files.readString(script).replaceAll("[^a-zA-Z0-9_-]+", " ").split(" ")));
    }
    names.remove("");
    for (String name : names) {
      Path program = hostile.resolve(name);
      Files.writeString(program, "#!/bin/sh\n>" + ran + "/" + name + "\n");
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  private static List<Path> scripts() throws IOException {
    try (var files = Files.list(SCRIPTS)) {
      List<Path> scripts = files.filter(file -> file.toString().endsWith(".sh")).toList();
      assertTrue(scripts.size() >= 4, scripts::toString);
      return scripts;
    }
  }

  @Test
  void scriptsExecuteBuiltinsAndWhatTheDaemonNamesByItsPath() throws IOException {
    for (Path script : scripts()) {
      ShellCommands read = ShellCommands.of(Files.readString(script));
      assertFalse(read.commands().isEmpty());
      for (List<String> command : read.commands()) {
        String first = command.getFirst();
        boolean exec = first.equals("exec") && command.size() > 1;
        String executed = exec ? command.get(1) : first;
        assertTrue(
            (!exec && (BUILTINS.contains(first) || read.functions().contains(first)))
                || NAMED_BY_THE_DAEMON.contains(executed)
                || first.equals("typeset"),
            () -> script.getFileName() + " executes by a name: " + command);
      }
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void builtinsAreBuiltIn(String shell) {
    for (String name : BUILTINS) {
      assertTrue(
          Workshop.command(
              Shells.path(shell), "-c", "PATH=/nowhere; command -v \"$1\"", "sh", name),
          name);
    }
  }

  @Test
  void theDaemonNamesProgramsByTheirPaths() throws Exception {
    Run run = new Run("r", root);
    Credentials other = new Credentials("x", 1, 1, List.of());
    for (boolean waits : new boolean[] {false, true}) {
      Launch launch =
          Workshop.as(Workshop.launch(run, "the-command"), other).toBuilder().nice(3).build();
      List<String> words = new Keeper("/bin/sh", "boot", OptionalLong.empty()).words(launch, waits);
      for (String program : List.of("sh", "sleep", "setsid", "setpriv", "nice")) {
        assertFalse(words.contains(program), program);
        assertTrue(words.stream().anyMatch(word -> word.matches("/.*/" + program)), program);
      }
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void executesNothingOfTheJobsWhileItsRecordCannotBeWritten(String shell) throws Exception {
    aRecordThatNobodyTakes(shell, null);
  }

  @Test
  void executesNothingOfAnotherUsersWhileItsRecordCannotBeWritten() throws Exception {
    aRecordThatNobodyTakes("sh", somebodyElse());
  }

  /** The record is a pipe whose reader leaves: the claim can be written, the end cannot. */
  private void aRecordThatNobodyTakes(String shell, @Nullable Credentials credentials)
      throws Exception {
    Run run = new Run("piped", Files.createDirectory(root.resolve("piped")));
    Path record = RunFiles.file(run);
    assertTrue(Workshop.command("mkfifo", "-m", "600", record.toString()));
    Launch launch = launch(run, credentials);
    Process keeper = start(shell, launch, "echo $$ 1 >who");
    try {
      try (BufferedReader claim = Files.newBufferedReader(record)) {
        assertEquals(keeper.pid() + "", claim.readLine().split(" ")[0]);
        assertTrue(claim.readLine().startsWith("command "));
      }
      Workshop.touch(go);
      assertItSleeps(keeper.pid());
      if (!shell.equals("sh")) {
        return; // once is enough to wait until it tries again
      }
      try (BufferedReader end = Files.newBufferedReader(record)) {
        assertEquals("exit 9", end.readLine());
        while (end.readLine()
            != null) {} // who leaves before the end makes the writing fail once more
      }
      assertEquals(0, keeper.waitFor());
    } finally {
      keeper.descendants().forEach(ProcessHandle::destroyForcibly);
      keeper.destroyForcibly();
    }
  }

  /**
   * Starts a keeper that begins at once.
   *
   * @param told a command that writes to the file {@code who} what its daemon tells it
   */
  private Process start(String shell, Launch launch, String told) throws Exception {
    List<String> words =
        new ArrayList<>(
            List.of(
                "/bin/sh", "-c", told + "; exec \"$@\" 2>/dev/null 3>/dev/null 4<who", "a-daemon"));
    Keeper described = new Keeper(Shells.path(shell), "boot", OptionalLong.empty());
    words.addAll(described.words(launch, false));
    ProcessBuilder builder = new ProcessBuilder(words).directory(root.toFile());
    builder.environment().clear();
    for (String variable : described.environment(launch, false)) {
      int equals = variable.indexOf('=');
      builder.environment().put(variable.substring(0, equals), variable.substring(equals + 1));
    }
    return builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void leavesWithoutAClaimIfItsDaemonDiesBeforeItSaysWhoItIs(String shell) throws Exception {
    Run run = new Run("untold", Files.createDirectory(root.resolve("untold")));
    Process keeper = start(shell, launch(run, null), ">who");
    assertEquals(0, keeper.waitFor());
    assertFalse(Files.exists(RunFiles.file(run)));
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void aPreparedOneExecutesNothingOfTheJobsEither(String shell) throws Exception {
    aRecordThatBecomesReadOnly(shell, null);
  }

  @Test
  void aPreparedOneExecutesNothingOfAnotherUsersEither() throws Exception {
    aRecordThatBecomesReadOnly("sh", somebodyElse());
  }

  private void aRecordThatBecomesReadOnly(String shell, @Nullable Credentials credentials)
      throws Exception {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      Run run = workshop.run();
      var _ = workshop.processes().prepare(launch(run, credentials)).start();
      Workshop.untilItSays(run, "up");
      RunStatus.Running running = (RunStatus.Running) workshop.processes().status(run);
      assertNothingShows(workshop, run, running.keeper());
      Path record = RunFiles.file(run);
      boolean root = new SystemUsers().mayBecomeOthers();
      if (root) {
        assumeTrue(Workshop.command("mount", "--bind", record + "", record + ""), "may not mount");
      }
      try {
        if (root) {
          assertTrue(Workshop.command("mount", "-o", "remount,bind,ro", record + ""));
        } else {
          Files.setPosixFilePermissions(record, PosixFilePermissions.fromString("r--------"));
        }
        Workshop.touch(go);
        assertItSleeps(running.keeper().pid());
      } finally {
        if (root) {
          Workshop.until("it is unmounted", () -> Workshop.command("umount", record + ""));
        } else {
          Files.setPosixFilePermissions(record, PosixFilePermissions.fromString("rw-------"));
        }
      }
      if (shell.equals("sh")) { // once is enough to wait until it tries again
        assertEquals(new RunStatus.Ended(9, null), workshop.await(run));
      }
      assertNothingOfTheJobsRan();
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void noVariableOfTheJobsIsInAnArgumentOrReachesTheKeeper(String shell) throws Exception {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      Run run = workshop.run();
      ProcessIdentity keeper = workshop.start(launch(run, null));
      Workshop.untilItSays(run, "up");
      assertNothingShows(workshop, run, keeper);
      Workshop.touch(go);
      assertEquals(new RunStatus.Ended(9, null), workshop.await(run));
      assertNothingOfTheJobsRan();
    }
  }

  /** Names by which programs are made to do something, and a secret in each of them. */
  private Launch launch(Run run, @Nullable Credentials credentials) {
    String line = "echo up; while [ ! -e \"$GO\" ]; do /usr/bin/sleep 0.02; done; exit 9";
    return Launch.builder(
            run,
            List.of("/bin/sh", "-c", line),
            List.of(
                "PATH=" + hostile + ":/usr/bin:/bin",
                Run.ID_VARIABLE + "=" + run.id(),
                "GO=" + go,
                "PASSWORD=" + SECRET,
                "LD_LIBRARY_PATH=/nowhere/" + SECRET,
                "MALLOC_PERTURB_=" + SECRET,
                "BASH_ENV=/nowhere/" + SECRET,
                "ENV=/nowhere/" + SECRET,
                "GCONV_PATH=/nowhere/" + SECRET,
                "LOCPATH=/nowhere/" + SECRET,
                "NLSPATH=/nowhere/" + SECRET,
                "TZ=" + SECRET))
        .credentials(credentials)
        .build();
  }

  private static void assertNothingShows(Workshop workshop, Run run, ProcessIdentity keeper)
      throws IOException {
    List<ProcessIdentity> processes = new ArrayList<>(workshop.processes().members(run));
    assertFalse(processes.isEmpty());
    processes.add(keeper);
    for (ProcessIdentity process : processes) {
      assertFalse(ProcFiles.arguments(process.pid()).toString().contains(SECRET));
    }
    assertOnlyItsOwn(read(Path.of("/proc/" + keeper.pid() + "/environ")));
  }

  private static void assertOnlyItsOwn(String environment) {
    for (String variable : environment.split("\0")) {
      String name = variable.substring(0, variable.indexOf('='));
      assertTrue(KEEPERS_OWN.matcher(name).matches(), variable);
    }
  }

  /** Waits until the keeper sleeps before it tries again, by the system's own sleep. */
  private void assertItSleeps(long keeper) throws IOException {
    Path sleep = Path.of("/usr/bin/sleep").toRealPath();
    List<String> environments = new ArrayList<>();
    Workshop.until(
        "the keeper sleeps, or executes what it must not",
        () -> {
          ProcessHandle.of(keeper).stream()
              .flatMap(ProcessHandle::children)
              .map(child -> environmentOf(child.pid(), sleep))
              .filter(environment -> !environment.isEmpty())
              .forEach(environments::add);
          return !environments.isEmpty() || !programsThatRan().isEmpty();
        });
    assertNothingOfTheJobsRan();
    assertOnlyItsOwn(environments.getFirst());
  }

  /** What a process that executes a program was started with; empty where it does not, any more. */
  private static String environmentOf(long pid, Path program) {
    Path process = Path.of("/proc/" + pid);
    try {
      String environment = Files.readString(process.resolve("environ"), UTF_8);
      return Files.readSymbolicLink(process.resolve("exe")).equals(program) ? environment : "";
    } catch (IOException e) {
      return "";
    }
  }

  private void assertNothingOfTheJobsRan() {
    assertEquals(List.of(), programsThatRan());
  }

  private List<String> programsThatRan() {
    try (var names = Files.list(ran)) {
      return names.map(name -> name.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return new String(Files.readAllBytes(file), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Credentials somebodyElse() {
    Users users = new SystemUsers();
    assumeTrue(users.mayBecomeOthers(), "needs root");
    var known = users.user("daemon");
    assumeTrue(known.isPresent(), "needs a user called daemon");
    Users.Account account = known.get();
    return new Credentials(account.name(), account.uid(), account.gid(), List.of(account.gid()));
  }
}
