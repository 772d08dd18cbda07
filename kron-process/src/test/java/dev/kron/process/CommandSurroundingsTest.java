package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a command finds when it starts: environment, directory, umask, streams. */
class CommandSurroundingsTest {

  private static final String SHELLS = "dev.kron.process.Shells#installed";

  /** Names that some shell changes, drops, or takes as an instruction, and values to trip over. */
  static final List<String> TRAPS =
      List.of(
          "EMPTY=",
          "SPACES=  a  b  ",
          "NEWLINES=a\nb\n",
          "EQUALS=a=b=c",
          "QUOTES='\"\\$HOME`id`$(id)",
          "GLOB=*",
          "UMLAUT=äöü €",
          "dir=/nowhere",
          "IFS=0123456789_=",
          "ENV=/no/such/file",
          "BASH=fish",
          "BASH_ENV=/no/such/file",
          "BASH_ARGV0=other",
          "BASH_COMMAND=none",
          "BASH_VERSION=0",
          "BASHPID=1",
          "COLUMNS=7",
          "CDPATH=/tmp",
          "DIRSTACK=a",
          "EPOCHSECONDS=a",
          "FUNCNAME=a",
          "GCONV_PATH=/no/such/file",
          "GROUPS=a",
          "HISTSIZE=a",
          "LINENO=5",
          "LINES=a",
          "MAIL=/tmp",
          "OPTARG=a",
          "OPTERR=a",
          "POSIXLY_CORRECT=1",
          "PS1=one",
          "PS4=$(id)",
          "RANDOM=4",
          "REPLY=a",
          "SECONDS=a",
          "SRANDOM=a",
          "TZ=nowhere",
          "LC_ALL=xx_XX.nowhere",
          "HOSTNAME=box",
          "TERM=vt52",
          "CDPATH=/tmp",
          "LD_BIND_NOW=1");

  @TempDir Path root;

  @ParameterizedTest
  @MethodSource(SHELLS)
  void theEnvironmentIsExactlyTheOneGiven(String shell) {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      Run run = workshop.run();
      Launch launch =
          Workshop.with(Workshop.launch(run, "env", "-0"), TRAPS.toArray(String[]::new));
      assertEquals(new RunStatus.Ended(0, null), workshop.finish(launch));
      assertEquals(new TreeSet<>(launch.environment()), environment(run));
      assertEquals("", Workshop.text(run.stderr()));
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void manyVariablesAndLargeOnesArriveToo(String shell) throws IOException {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      Run run = workshop.run();
      String[] variables = new String[1001];
      Arrays.setAll(variables, i -> "V" + i + "=" + i);
      variables[1000] = "LARGE=" + "=\n'\"".repeat(30_000);
      Launch launch = Workshop.with(Workshop.launch(run, "env", "-0"), variables);
      assertEquals(new RunStatus.Ended(0, null), workshop.finish(launch));
      assertEquals(new TreeSet<>(launch.environment()), environment(run));

      Run tooLarge = workshop.run();
      LaunchResult.Failed failed =
          assertInstanceOf(
              LaunchResult.Failed.class,
              workshop
                  .processes()
                  .launch(
                      Workshop.with(
                          Workshop.launch(tooLarge, "true"), "LARGE=" + "x".repeat(1 << 17))));
      assertEquals(Stage.SPAWN, failed.stage(), failed.reason());
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void aPreparedRunGetsWhatAnyOtherGets(String shell) throws IOException {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      Run run = workshop.run();
      Launch launch =
          Workshop.with(Workshop.launch(run, "env", "-0"), TRAPS.toArray(String[]::new));
      var _ = workshop.processes().prepare(launch).start();
      assertEquals(new RunStatus.Ended(0, null), workshop.await(run));
      assertEquals(new TreeSet<>(launch.environment()), environment(run));
      assertEquals("", Workshop.text(run.stderr()));

      Run small = workshop.run();
      Launch smallest = Workshop.launch(small, "env", "-0");
      var _ = workshop.processes().prepare(smallest).start();
      workshop.await(small);
      assertEquals(new TreeSet<>(smallest.environment()), environment(small));

      Run other = workshop.run();
      String facts =
          "ls /proc/self/fd | grep -vx 3; grep '^Sig[BI]' /proc/self/status;"
              + " read -r stat </proc/self/stat; set -- ${stat##*) }; echo $3 $4 $$ >&2";
      var _ = workshop.processes().prepare(Workshop.shell(other, facts)).start();
      assertEquals(new RunStatus.Ended(0, null), workshop.await(other));
      String zeros = "0000000000000000";
      assertEquals(
          "0\n1\n2\nSigBlk:\t" + zeros + "\nSigIgn:\t" + zeros + "\n",
          Workshop.text(other.stdout()));
      String[] words = Workshop.text(other.stderr()).strip().split(" ");
      assertEquals(words[2], words[0], "it leads its group");
      assertEquals(words[2], words[1], "it leads its session");
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void nothingIsAddedToASmallEnvironment(String shell) {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      Run run = workshop.run();
      Launch launch = Workshop.in(Workshop.launch(run, "env", "-0"), root);
      workshop.finish(launch);
      assertEquals(new TreeSet<>(launch.environment()), environment(run));
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void loaderVariablesReachTheCommandAndNobodyBefore(String shell) throws IOException {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      Run run = workshop.run();
      Path log = root.resolve("loaded");
      // The loader writes one file for each program that was started with this.
      workshop.finish(
          Workshop.with(Workshop.launch(run, "true"), "LD_DEBUG=files", "LD_DEBUG_OUTPUT=" + log));
      try (var files = Files.list(root)) {
        List<Path> logs =
            files.filter(f -> f.getFileName().toString().startsWith("loaded")).toList();
        assertEquals(1, logs.size(), logs::toString);
      }
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void argumentsArriveAsTheyAre(String shell) {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      List<String> words =
          List.of("", " ", "-e", "--", "a b", "*", "$HOME", "'", "\"", "\\", "\n", "äöü", "`id`");
      List<String> command = new ArrayList<>(List.of("printf", "%s\\0"));
      command.addAll(words);
      Run run = workshop.run();
      workshop.finish(Workshop.launch(run, command.toArray(String[]::new)));
      assertEquals(words, Arrays.asList(Workshop.text(run.stdout()).split("\0")));
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void umaskAndDirectoryAreTheCommandsOwn(String shell) throws IOException {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      Path cwd = Files.createDirectory(root.resolve("with space and 'quote"));
      Run run = workshop.run();
      Launch launch = Workshop.in(Workshop.shell(run, "pwd -P; umask; >made"), cwd);
      workshop.finish(Workshop.masked(launch, 0137));
      assertEquals(cwd.toRealPath() + "\n0137\n", Workshop.text(run.stdout()));
      assertEquals(
          PosixFilePermissions.fromString("rw-r-----"),
          Files.getPosixFilePermissions(cwd.resolve("made")));
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void whatAKeeperMakesIsPrivateAndTheCommandHasTheDaemonsUmask(String shell) throws IOException {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      String expected = "%04o\n".formatted(ProcFiles.ownUmask());
      Run run = workshop.run();
      workshop.finish(Workshop.shell(run, "umask"));
      Run prepared = workshop.run();
      var _ = workshop.processes().prepare(Workshop.shell(prepared, "umask")).start();
      workshop.await(prepared);
      for (Run each : List.of(run, prepared)) {
        assertEquals(expected, Workshop.text(each.stdout()));
        try (var files = Files.list(each.directory())) {
          for (Path file : files.toList()) {
            assertEquals(
                PosixFilePermissions.fromString("rw-------"),
                Files.getPosixFilePermissions(file),
                file::toString);
          }
        }
      }
      try (var files = Files.list(prepared.directory())) {
        assertEquals(
            List.of("record", "stderr", "stdout"),
            files.map(file -> file.getFileName().toString()).sorted().toList());
      }
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void standardInputIsEmptyOrTheGivenFile(String shell) throws IOException {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      Run empty = workshop.run();
      workshop.finish(Workshop.launch(empty, "cat"));
      assertEquals("", Workshop.text(empty.stdout()));
      Path file = Files.writeString(root.resolve("input"), "the tail\nof it");
      Run fed = workshop.run();
      workshop.finish(Workshop.from(Workshop.launch(fed, "cat"), new InputSource.Kept(file)));
      assertEquals("the tail\nof it", Workshop.text(fed.stdout()));
    }
  }

  /** The output of an ended run may be kept in its record, behind the keeper's lines. */
  @Test
  void standardInputIsAlsoWhatWasJoinedToARecord() throws IOException {
    try (Workshop workshop = new Workshop(root)) {
      Run ended = workshop.run();
      workshop.finish(Workshop.shell(ended, "exit 3"));
      Path record = RunFiles.file(ended);
      String joined = "kept 1234 note 7 stdout 11\nexit 4\nö\nkept 5\n and more";
      Files.writeString(record, joined, StandardOpenOption.APPEND);
      Files.delete(ended.stdout());
      assertEquals(new RunStatus.Ended(3, null), workshop.processes().status(ended));
      assertNotNull(workshop.processes().cpuMillis(ended));
      Run fed = workshop.run();
      InputSource output = new InputSource.Kept(ended.stdout());
      workshop.finish(Workshop.from(Workshop.launch(fed, "cat"), output));
      assertEquals("ö\nkept 5\n ", Workshop.text(fed.stdout()));
      Run refused = workshop.run();
      InputSource nothing = new InputSource.Kept(ended.stderr().resolveSibling("other"));
      assertInstanceOf(
          LaunchResult.Failed.class,
          Workshop.launched(
              workshop.processes(), Workshop.from(Workshop.launch(refused, "cat"), nothing)));
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void outputIsAppendedToAFileThatOnlyItsOwnerReads(String shell) throws IOException {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      Path file = root.resolve("log");
      for (int i = 1; i <= 2; i++) {
        OutputTarget output = new OutputTarget.Append(file);
        Run run = workshop.run();
        workshop.finish(
            Workshop.to(
                Workshop.shell(run, "echo " + i + "; echo e" + i + " >&2"), output, output));
      }
      assertEquals("1\ne1\n2\ne2\n", Files.readString(file));
      assertEquals(
          PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(file));
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void discardedOutputGoesNowhere(String shell) {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      Run run = workshop.run();
      OutputTarget none = new OutputTarget.Discard();
      assertEquals(
          new RunStatus.Ended(0, null),
          workshop.finish(Workshop.to(Workshop.shell(run, "echo a; echo b >&2"), none, none)));
      assertTrue(Files.notExists(run.stdout()));
      assertTrue(Files.notExists(run.stderr()));
    }
  }

  private static Set<String> environment(Run run) {
    return new TreeSet<>(Arrays.asList(Workshop.text(run.stdout()).split("\0")));
  }
}
