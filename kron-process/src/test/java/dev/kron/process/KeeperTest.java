package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the keeper promises, with every shell that may be its own. */
class KeeperTest {

  private static final String SHELLS = "dev.kron.process.Shells#installed";

  @TempDir Path root;

  private interface InWorkshop {
    void test(Workshop workshop) throws IOException;
  }

  private void with(String shell, InWorkshop test) throws IOException {
    try (Workshop workshop = new Workshop(root, Shells.path(shell))) {
      test.test(workshop);
    }
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void recordsTheExitStatus(String shell) throws IOException {
    with(
        shell,
        workshop -> {
          for (int status : new int[] {0, 1, 7, 126, 127, 128, 143, 255}) {
            assertEquals(
                new RunStatus.Ended(status, null),
                workshop.finish(Workshop.shell(workshop.run(), "exit " + status)));
          }
        });
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void recordsTheStatusOfACommandThatASignalEnded(String shell) throws IOException {
    with(
        shell,
        workshop -> {
          for (Signal signal : List.of(Signal.TERM, Signal.KILL, Signal.INT, Signal.HUP)) {
            RunStatus status =
                workshop.finish(Workshop.shell(workshop.run(), "kill -" + signal + " $$"));
            RunStatus.Ended ended = assertInstanceOf(RunStatus.Ended.class, status);
            assertEquals(128 + signal.number(), ended.exitCode());
            // Not every shell tells, but none of them tells a lie.
            assertTrue(ended.signal() == null || ended.signal() == signal.number(), shell);
          }
        });
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void aListOfProcessesShowsWhatIsKeptAndNoScript(String shell) throws IOException {
    with(
        shell,
        workshop -> {
          for (boolean prepared : new boolean[] {false, true}) {
            Run run = workshop.run();
            Launch launch = Workshop.shell(run, "echo \"up $(env | grep -c keeper)\"; sleep 300");
            launch = Workshop.with(launch, "KRON_JOB=nightly-backup");
            if (prepared) {
              var _ = workshop.processes().prepare(launch).start();
            } else {
              workshop.start(launch);
            }
            Workshop.untilItSays(run, "up 0");
            var running = (RunStatus.Running) workshop.processes().status(run);
            Path process = Path.of("/proc/" + running.keeper().pid());
            assertEquals("kron:nightly-ba\n", Files.readString(process.resolve("comm")));
            List<String> words = ProcFiles.arguments(running.keeper().pid());
            assertFalse(words.toString().contains("\n"), words::toString);
            assertTrue(words.toString().length() < 500, words::toString);
            assertEquals(run.directory().toString(), words.get(4));
          }
        });
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void survivesWhatIsSentToTheCommandsGroup(String shell) throws IOException {
    with(
        shell,
        workshop -> {
          Run run = workshop.run();
          workshop.start(
              Workshop.shell(
                  run,
                  "trap 'echo again' TERM HUP; echo up; while :; do sleep 300 & wait $!; done"));
          Workshop.untilItSays(run, "up");
          assertEquals(SignalDelivery.SENT, workshop.processes().signal(run, Signal.TERM));
          Workshop.untilItSays(run, "again");
          assertInstanceOf(RunStatus.Running.class, workshop.processes().status(run));
          assertEquals(SignalDelivery.SENT, workshop.processes().signal(run, Signal.KILL));
          assertEquals(137, ((RunStatus.Ended) workshop.await(run)).exitCode());
          Workshop.until("all are gone", () -> workshop.processes().members(run).isEmpty());
        });
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void survivesACommandThatSignalsItsWholeGroup(String shell) throws IOException {
    with(
        shell,
        workshop ->
            assertEquals(
                137,
                ((RunStatus.Ended) workshop.finish(Workshop.shell(workshop.run(), "kill -9 0")))
                    .exitCode()));
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void survivesSignalsOfItsOwnAndStillRecordsTheEnd(String shell) throws IOException {
    with(
        shell,
        workshop -> {
          Run run = workshop.run();
          ProcessIdentity keeper =
              workshop.start(
                  Workshop.shell(run, "echo up; while [ ! -e done ]; do sleep 0.05; done; exit 4"),
                  root);
          Workshop.untilItSays(run, "up");
          for (Signal signal :
              List.of(Signal.TERM, Signal.INT, Signal.HUP, Signal.QUIT, Signal.USR1, Signal.ALRM)) {
            assertEquals(SignalDelivery.SENT, workshop.processes().signal(keeper, signal));
          }
          Workshop.touch(root.resolve("done"));
          assertEquals(new RunStatus.Ended(4, null), workshop.await(run));
        });
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void saysUnknownWhenTheKeeperItselfWasKilled(String shell) throws IOException {
    with(
        shell,
        workshop -> {
          Run run = workshop.run();
          ProcessIdentity keeper = workshop.start(Workshop.shell(run, "echo up; exec sleep 300"));
          Workshop.untilItSays(run, "up");
          workshop.processes().signal(keeper, Signal.KILL);
          assertInstanceOf(RunStatus.Unknown.class, workshop.await(run));
          // The command goes on, is known to belong to the run, and can be ended.
          assertEquals(1, workshop.processes().members(run).size());
          assertEquals(SignalDelivery.SENT, workshop.processes().signal(run, Signal.KILL));
          Workshop.until("it is gone", () -> workshop.processes().members(run).isEmpty());
          assertInstanceOf(RunStatus.Unknown.class, workshop.processes().status(run));
        });
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void givesTheCommandASessionApartFromItsOwn(String shell) throws IOException {
    with(
        shell,
        workshop -> {
          Run run = workshop.run();
          ProcessIdentity keeper =
              workshop.start(
                  Workshop.shell(
                      run, "cat /proc/self/stat >stat.tmp; mv stat.tmp stat; exec sleep 300"),
                  root);
          Workshop.until("it has started", () -> !Workshop.text(root.resolve("stat")).isEmpty());
          ProcFiles.Entry child =
              ProcFiles.parse(Workshop.text(root.resolve("stat"))).orElseThrow();
          ProcFiles.Entry own = ProcFiles.entry(keeper.pid()).orElseThrow();
          assertEquals(keeper.pid(), own.session());
          assertNotEquals(own.session(), child.session());
          assertNotEquals(own.group(), child.group());
          assertEquals(child.session(), child.group());
        });
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void leavesTheCommandNoDescriptorAndNoSignalOfItsOwn(String shell) throws IOException {
    with(
        shell,
        workshop -> {
          Run run = workshop.run();
          workshop.finish(Workshop.launch(run, "/bin/sh", "-c", "exec ls /proc/self/fd"));
          // The fourth is the directory that ls itself reads.
          assertEquals("0\n1\n2\n3\n", Workshop.text(run.stdout()));
          Run signals = workshop.run();
          workshop.finish(Workshop.launch(signals, "grep", "^Sig[BI]", "/proc/self/status"));
          assertFalse(Workshop.text(signals.stdout()).isEmpty());
          Workshop.text(signals.stdout())
              .lines()
              .forEach(line -> assertTrue(line.endsWith("\t0000000000000000"), line));
        });
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void beginsOnlyWhenItIsLet(String shell) throws IOException {
    with(
        shell,
        workshop -> {
          Run run = workshop.run();
          Prepared prepared = workshop.processes().prepare(Workshop.shell(run, "exit 5"));
          assertEquals(new RunStatus.Unclaimed(), workshop.processes().status(run));
          assertInstanceOf(LaunchResult.Launched.class, prepared.start());
          assertEquals(new RunStatus.Ended(5, null), workshop.await(run));

          Run other = workshop.run();
          workshop.processes().prepare(Workshop.shell(other, "exit 5")).discard();
          assertTrue(workshop.processes().forestall(other));
          assertEquals(new RunStatus.Forestalled(), workshop.processes().status(other));
        });
  }

  @ParameterizedTest
  @MethodSource(SHELLS)
  void aPreparedOneTellsTheSameOfItsEnd(String shell) throws IOException {
    with(
        shell,
        workshop -> {
          String ended = "kill -TERM $$";
          Run ordinary = workshop.run();
          RunStatus status = workshop.finish(Workshop.shell(ordinary, ended));
          Run run = workshop.run();
          var _ = workshop.processes().prepare(Workshop.shell(run, ended)).start();
          assertEquals(status, workshop.await(run));
        });
  }
}
