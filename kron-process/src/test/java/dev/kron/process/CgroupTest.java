package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Processes that do all they can to be forgotten. */
class CgroupTest extends WorkshopTest {

  /** Ignores TERM, forks twice into sessions of its own, without environment, its parents gone. */
  private static final String ESCAPE =
      "trap '' TERM; echo up; read -r go <\"$GATE\"; env -i /usr/bin/setsid /bin/sh -c 'trap \"\""
          + " TERM; /usr/bin/setsid /bin/sleep 300 & exit 0' & wait $!; echo away; exit 0";

  @Test
  void findsWhatHidFromEverythingElse() throws Exception {
    Run run = workshop.run();
    Path gate = root.resolve("gate");
    assertTrue(Workshop.command("mkfifo", gate.toString()));
    workshop.start(Workshop.with(Workshop.shell(run, ESCAPE), "GATE=" + gate));
    Workshop.untilItSays(run, "up");
    assumeTrue(workshop.processes().enclose(run), "no cgroup v2 here that we may use");
    Path leaf = Cgroups.of(run);
    assertNotNull(leaf);
    Files.writeString(gate, "go\n");
    assertEquals(new RunStatus.Ended(0, null), workshop.await(run));

    // As a later daemon would, which knows nothing but the run's directory.
    try (Workshop later = new Workshop(root)) {
      Workshop.until(
          "nothing is left but the sleep",
          () ->
              later.processes().members(run).stream()
                  .map(member -> ProcFiles.arguments(member.pid()))
                  .toList()
                  .equals(List.of(List.of("/bin/sleep", "300", ""))));
      ProcessIdentity left = later.processes().members(run).getFirst();
      assertEquals(SignalDelivery.SENT, later.processes().signal(left, Signal.KILL));
      Workshop.until("it is gone", () -> later.processes().members(run).isEmpty());
    }
    assertFalse(Files.exists(leaf), "an empty leaf is removed");
  }

  @Test
  void enclosesWhatWasStartedBeforeAndLeavesTheKeeperOut() throws IOException {
    Run run = workshop.run();
    ProcessIdentity keeper =
        workshop.start(Workshop.shell(run, "sleep 300 & (sleep 300; :) & echo up; wait"));
    Workshop.untilItSays(run, "up");
    assumeTrue(workshop.processes().enclose(run), "no cgroup v2 here that we may use");
    Path leaf = Cgroups.of(run);
    assertNotNull(leaf);
    Workshop.until("the subshell has its sleep, too", () -> Cgroups.members(leaf).size() == 4);
    assertFalse(Cgroups.members(leaf).contains(keeper.pid()));
    assertTrue(workshop.processes().enclose(run), "a second time does no harm");
    workshop.processes().signal(run, Signal.KILL);
    workshop.await(run);
    Workshop.until("nothing is left", () -> workshop.processes().members(run).isEmpty());
    assertFalse(Files.exists(leaf));
  }

  @Test
  void saysSoWhereThereIsNothingToEnclose() throws IOException {
    Run run = workshop.run();
    assertFalse(workshop.processes().enclose(run));
    workshop.finish(Workshop.shell(run, "exit 0"));
    assertFalse(workshop.processes().enclose(run));
    assertNull(Cgroups.of(run));
  }

  @Test
  void findsItsOwnGroupInEveryKindOfMount() {
    String unified = "31 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw";
    String hybrid = "35 30 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw";
    String container = "40 30 0:31 /docker/ab /sys/fs/cgroup ro - cgroup2 cgroup rw";
    String old = "32 30 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu";
    assertEquals(
        Path.of("/sys/fs/cgroup/system.slice/krond.service"),
        Cgroups.own(List.of(unified), List.of("0::/system.slice/krond.service")));
    assertEquals(
        Path.of("/sys/fs/cgroup/unified"),
        Cgroups.own(List.of(old, hybrid), List.of("3:cpu:/x", "0::/")));
    assertEquals(
        Path.of("/sys/fs/cgroup/job"),
        Cgroups.own(List.of(container), List.of("0::/docker/ab/job")));
    assertNull(Cgroups.own(List.of(container), List.of("0::/docker/other")));
    assertNull(Cgroups.own(List.of(old), List.of("3:cpu:/x")));
  }
}
