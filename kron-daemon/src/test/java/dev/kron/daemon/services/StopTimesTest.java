package dev.kron.daemon.services;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.daemon.loop.Clocks;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEffect.WakeAt;
import dev.kron.service.TimeoutKind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a run that was told to end has had its time. */
class StopTimesTest {
  private static final long MILLI = 1_000_000L;
  private static final InstanceId WEB = new InstanceId("web", 0);

  /** The machine was told at 10,000 ms, and knows that the time to end is over 5,000 ms later. */
  private static final WakeAt WAKE = new WakeAt(WEB, TimeoutKind.STOP, 15_000);

  private final List<Long> timers = new ArrayList<>();
  private long nowNanos = 10_000 * MILLI;
  private final StopTimes times =
      new StopTimes(
          new Clocks() {
            @Override
            public long wallMillis() {
              return 0;
            }

            @Override
            public long bootNanos() {
              return nowNanos;
            }
          },
          (wake, atNanos) -> timers.add(atNanos));

  @Test
  void theTimeBeginsWithTheSignal() {
    times.sends(WEB, TimeoutKind.STOP);
    times.stopBy(WAKE, 15_000 * MILLI);
    assertEquals(List.of(), timers, "the signal is on its way");
    times.signalled(WEB, TimeoutKind.STOP, 70_000 * MILLI); // the machine slept
    assertEquals(List.of(75_000 * MILLI), timers);
  }

  @Test
  void aSignalThatIsOnNobodysWayNeedNotBeWaitedFor() {
    times.stopBy(WAKE, 15_000 * MILLI);
    assertEquals(List.of(15_000 * MILLI), timers);
  }

  /** A wait that is over too early for the machine would never be over, and KILL never come. */
  @Test
  void theTimeIsNeverOverBeforeTheMomentThatTheMachineKnows() {
    times.sends(WEB, TimeoutKind.STOP);
    nowNanos = 10_001 * MILLI + 800_000; // it took a while to get here
    times.stopBy(WAKE, 15_000 * MILLI);
    times.signalled(WEB, TimeoutKind.STOP, 10_000 * MILLI + 950_000); // sent before that
    assertEquals(List.of(15_000 * MILLI), timers);
  }
}
