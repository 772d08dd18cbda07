package dev.kron.daemon.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.HandClocks;
import dev.kron.daemon.log.EventLog;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whether state can be written is one answer, and both halves of the daemon are told. */
class WritabilityTest {
  private final HandClocks clocks = new HandClocks("2026-05-10T11:59:30Z");
  private final Timers timers = new Timers();
  private final List<String> calls = new ArrayList<>();
  private final EventLog log =
      new EventLog(
          OutputStream.nullOutputStream(), EventLog.Format.TEXT, EventLog.Level.INFO, clocks::now);
  private final Writability writability =
      new Writability(clocks, timers, () -> calls.add("probe"), log);

  private record Half(String name, List<String> calls) implements Writability.Listener {
    @Override
    public void unwritable() {
      calls.add(name + " unwritable");
    }

    @Override
    public void writableAgain() {
      calls.add(name + " writable");
    }
  }

  @BeforeEach
  void tell() {
    writability.tell(new Half("jobs", calls), new Half("services", calls));
  }

  @AfterEach
  void close() {
    log.close();
  }

  private List<String> calls() {
    List<String> so = List.copyOf(calls);
    calls.clear();
    return so;
  }

  private void pass(Duration time) {
    clocks.pass(time);
    timers.run(clocks.bootNanos());
  }

  @Test
  void bothHalvesAreToldOnceAndTheDiskIsProbedEverySecondUntilItWorks() {
    writability.failed("no space");
    writability.failed("no space elsewhere");
    assertFalse(writability.isWritable());
    assertEquals("no space", writability.trouble());
    assertEquals(List.of("jobs unwritable", "services unwritable", "probe"), calls());
    writability.probed("no space");
    assertEquals(List.of(), calls());
    pass(Duration.ofSeconds(1));
    assertEquals(List.of("probe"), calls());
    writability.probed(null);
    assertTrue(writability.isWritable());
    assertEquals(List.of("jobs writable", "services writable"), calls());
  }

  @Test
  void aWriteThatFailsRightAfterAProbeThatSucceededWaitsBeforeTheNext() {
    writability.failed("no space");
    writability.probed(null);
    calls.clear();
    writability.failed("no space");
    assertEquals(List.of("jobs unwritable", "services unwritable"), calls());
    pass(Duration.ofSeconds(1));
    assertEquals(List.of("probe"), calls());
    writability.probed(null);
    calls.clear();
    pass(Duration.ofSeconds(2));
    writability.failed("no space");
    assertEquals(List.of("jobs unwritable", "services unwritable", "probe"), calls());
  }
}
