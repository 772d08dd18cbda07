package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that say that they belong to a run, or keep it, and those that really do. */
class StrangersTest {
  private static final int NOBODY = 65534;
  private static final int SOMEBODY = 65533;

  @TempDir Path root;
  private Workshop workshop;
  private final List<Process> strangers = new ArrayList<>();

  @BeforeEach
  void open() {
    workshop = new Workshop(root);
  }

  @AfterEach
  void close() {
    for (Process stranger : strangers) {
      stranger.destroyForcibly();
    }
    workshop.close();
  }

  private static void needsRoot() {
    assumeTrue(new SystemUsers().mayBecomeOthers(), "needs root");
  }

  /** A process of another user, with the words and the environment of the run's keeper. */
  private Process stranger(Run run) throws IOException {
    List<String> user =
        List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "setsid");
    List<String> words = new ArrayList<>(user);
    words.addAll(List.of("sh", "-c", "sleep 300; :", Keeper.NAME, run.directory().toString()));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().put(Run.ID_VARIABLE, run.id());
    Process stranger = builder.start();
    strangers.add(stranger);
    int pid = Math.toIntExact(stranger.pid());
    Workshop.until(
        "it is disguised",
        () -> {
          // Between two programs a process has no arguments at all.
          List<String> arguments = ProcFiles.arguments(pid);
          return arguments.contains(Keeper.NAME)
              && arguments.getFirst().equals("sh")
              && ProcFiles.users(pid).filter(users -> users.areAll(NOBODY)).isPresent();
        });
    return stranger;
  }

  @Test
  void whatAnotherUsersProcessesSayOfThemselvesIsNotBelieved() throws IOException {
    needsRoot();
    Run run = workshop.run();
    workshop.start(Workshop.shell(run, "sleep 300 & echo up; wait"));
    Workshop.untilItSays(run, "up");
    Process stranger = stranger(run);
    assertEquals(2, workshop.processes().members(run).size());
    workshop.processes().signal(run, Signal.TERM);
    workshop.await(run);
    Workshop.until("nothing is left", () -> workshop.processes().members(run).isEmpty());
    assertTrue(stranger.isAlive());
  }

  /** Its environment may be megabytes long, or not answer at all. */
  @Test
  void whoeverIsNotBelievedIsNotAsked() throws IOException {
    Run run = workshop.run();
    boolean root = new SystemUsers().mayBecomeOthers();
    int stranger = root ? Math.toIntExact(stranger(run).pid()) : 1;
    workshop.start(Workshop.shell(run, "echo up; sleep 300"));
    Workshop.untilItSays(run, "up");
    int self = ProcFiles.users(Math.toIntExact(ProcessHandle.current().pid())).orElseThrow().real();
    List<Integer> asked = new ArrayList<>();
    var census =
        new Census(
            pid -> {
              asked.add(pid);
              return ProcFiles.values(pid, Run.ID_VARIABLE);
            });
    List<ProcessIdentity> members =
        new Members(run, ProcFiles.bootId(), self).living(census, null, null);
    assertFalse(members.isEmpty());
    assertFalse(asked.isEmpty());
    assertFalse(asked.contains(stranger), asked + " were asked");
  }

  @Test
  void anotherUsersProcessIsNoKeeperOfARunWithoutAClaim() throws IOException {
    needsRoot();
    Run unclaimed = workshop.run();
    Run unfinished = workshop.run();
    Files.writeString(RunFiles.file(unfinished), "12");
    stranger(unclaimed);
    stranger(unfinished);
    assertEquals(SignalDelivery.GONE, workshop.processes().signal(unclaimed, Signal.TERM));
    assertInstanceOf(RunStatus.Unknown.class, workshop.processes().status(unfinished));
    assertEquals(List.of(), workshop.processes().members(unfinished));
  }

  @Test
  void aChildThatIsDisguisedAsTheKeeperBelongsToTheRun() throws IOException {
    Run run = workshop.run();
    ProcessIdentity keeper =
        workshop.start(
            Workshop.shell(
                run,
                "setsid sh -c 'echo up; exec 1>&-; sleep 300; :' %s %s 2>&- & wait"
                    .formatted(Keeper.NAME, run.directory())));
    Workshop.untilItSays(run, "up");
    Workshop.until("its child too is there", () -> workshop.processes().members(run).size() == 3);
    assertTrue(workshop.processes().members(run).stream().noneMatch(keeper::equals));
    workshop.processes().signal(run, Signal.KILL);
    workshop.await(run);
    List<ProcessIdentity> left = workshop.processes().members(run);
    assertEquals(2, left.size());
    left.forEach(process -> workshop.processes().signal(process, Signal.KILL));
    Workshop.until("nothing is left", () -> workshop.processes().members(run).isEmpty());
  }

  @Test
  void orphansOfTheRunsUserAreFoundByALaterDaemonToo() throws IOException {
    needsRoot();
    Credentials user = new Credentials("somebody", SOMEBODY, SOMEBODY, List.of(SOMEBODY));
    Run run = workshop.run();
    workshop.start(
        Workshop.as(
            Workshop.shell(run, "setsid sh -c 'setsid sleep 300 & exit' & wait; exit 0"), user));
    workshop.await(run);
    try (Workshop later = new Workshop(root)) {
      List<ProcessIdentity> left = later.processes().members(run);
      assertEquals(1, left.size());
      assertEquals(SOMEBODY, ProcFiles.users(left.getFirst().pid()).map(u -> u.real()).orElse(-1));
    }
  }

  @Test
  void whoIsBelowTheRunBelongsToItWhoeverItHasBecome() {
    needsRoot();
    Run run = workshop.run();
    workshop.start(
        Workshop.shell(
            run,
            "setsid setpriv --reuid=%d --clear-groups sleep 300 & echo up; wait"
                .formatted(NOBODY)));
    Workshop.untilItSays(run, "up");
    Workshop.until(
        "it has become nobody",
        () ->
            workshop.processes().members(run).stream()
                .anyMatch(
                    process ->
                        ProcFiles.users(process.pid())
                            .filter(users -> users.areAll(NOBODY))
                            .isPresent()));
  }
}
