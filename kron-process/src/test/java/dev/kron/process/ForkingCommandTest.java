package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Commands that multiply, chatter, or go to sleep in the background. */
class ForkingCommandTest extends WorkshopTest {

  @Test
  void allOutputOfAChattyCommandIsThereWhenItsEndIsTold() {
    Run run = workshop.run();
    assertEquals(
        new RunStatus.Ended(0, null),
        workshop.finish(Workshop.shell(run, "seq 1 200000; echo last >&2")));
    List<String> lines = Workshop.text(run.stdout()).lines().toList();
    assertEquals(200_000, lines.size());
    assertEquals("200000", lines.getLast());
    assertEquals("last\n", Workshop.text(run.stderr()));
  }

  @Test
  void endingARunEndsItsWholeGroup() throws IOException {
    Run run = workshop.run();
    workshop.start(Workshop.shell(run, "sleep 300 & sleep 300 & (sleep 300; :) & echo up; wait"));
    Workshop.untilItSays(run, "up");
    assertEquals(SignalDelivery.SENT, workshop.processes().signal(run, Signal.TERM));
    assertEquals(143, ((RunStatus.Ended) workshop.await(run)).exitCode());
    Workshop.until("all are gone", () -> workshop.processes().members(run).isEmpty());
  }

  @Test
  void findsAndSignalsWhatIsLeftOfAGroupWithoutItsLeader() throws IOException {
    Run run = workshop.run();
    workshop.start(Workshop.shell(run, "sleep 300 >/dev/null 2>&1 & exit 6"));
    assertEquals(new RunStatus.Ended(6, null), workshop.await(run));
    assertEquals(1, workshop.processes().members(run).size());
    assertEquals(SignalDelivery.SENT, workshop.processes().signal(run, Signal.TERM));
    Workshop.until("it is gone", () -> workshop.processes().members(run).isEmpty());
    assertEquals(SignalDelivery.GONE, workshop.processes().signal(run, Signal.TERM));
  }

  @Test
  void findsWhatForkedAwayIntoASessionOfItsOwn() throws IOException {
    Run run = workshop.run();
    workshop.start(
        Workshop.shell(run, "setsid sh -c 'setsid sleep 300 & exit' & wait; echo away; exit 0"));
    workshop.await(run);
    List<ProcessIdentity> survivors = workshop.processes().members(run);
    assertEquals(1, survivors.size());
    assertEquals(SignalDelivery.GONE, workshop.processes().signal(run, Signal.TERM));
    assertEquals(
        SignalDelivery.SENT, workshop.processes().signal(survivors.getFirst(), Signal.TERM));
    Workshop.until("it is gone", () -> workshop.processes().members(run).isEmpty());
  }

  @Test
  void findsAProcessWithoutEnvironmentByItsParents() throws IOException {
    Run run = workshop.run();
    workshop.start(
        Workshop.shell(run, "env -i /usr/bin/setsid /usr/bin/sleep 300 & echo up; wait"));
    Workshop.untilItSays(run, "up");
    Workshop.until(
        "sleep is found",
        () ->
            workshop.processes().members(run).stream()
                .anyMatch(m -> ProcFiles.arguments(m.pid()).contains("/usr/bin/sleep")));
    assertInstanceOf(RunStatus.Running.class, workshop.processes().status(run));
  }

  @Test
  void aTermThatIsIgnoredIsFollowedByAKillThatIsNot() throws IOException {
    Run run = workshop.run();
    workshop.start(Workshop.shell(run, "trap '' TERM; echo up; while :; do sleep 300; done"));
    Workshop.untilItSays(run, "up");
    assertEquals(SignalDelivery.SENT, workshop.processes().signal(run, Signal.TERM));
    assertInstanceOf(RunStatus.Running.class, workshop.processes().status(run));
    assertEquals(SignalDelivery.SENT, workshop.processes().signal(run, Signal.KILL));
    assertEquals(new RunStatus.Ended(137, 9), workshop.await(run));
    Workshop.until("nothing is left", () -> workshop.processes().members(run).isEmpty());
  }

  @Test
  void tellsOfEveryEndWhenManyRunAtOnce() {
    List<Run> runs = IntStream.range(0, 200).mapToObj(i -> workshop.run()).toList();
    runs.parallelStream().forEach(run -> workshop.start(Workshop.shell(run, "exit 3")));
    runs.forEach(run -> assertEquals(new RunStatus.Ended(3, null), workshop.await(run)));
  }
}
