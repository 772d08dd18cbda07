package dev.kron.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cluster.Watch.Instance;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What instances believe of themselves and of each other, by clocks that a test moves. */
class TermsTest {
  private static final Terms TERMS = new Terms(Duration.ofSeconds(30), Duration.ofSeconds(10));

  private static long seconds(long seconds) {
    return TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void aLeaseCountsFromTheSendingOfItsLastConfirmedRenewal() {
    Lease lease = new Lease(TERMS);
    assertFalse(lease.held(0), "nothing was confirmed yet");
    lease.confirmed(seconds(5));
    assertTrue(lease.held(seconds(34)));
    assertFalse(lease.held(seconds(35)));
    assertEquals(seconds(1), lease.nanosLeft(seconds(34)));
  }

  @Test
  void anInstanceIsLostOnlyIfTheDatabaseAndTheObserverBothWaitedLongEnough() {
    Watch watch = new Watch(TERMS);
    watch.saw(List.of(new Instance("a", 7, true)), seconds(0));
    assertFalse(watch.gone("a"), "the observer has just come");
    watch.saw(List.of(new Instance("a", 7, true)), seconds(39));
    assertFalse(watch.gone("a"));
    watch.saw(List.of(new Instance("a", 7, false)), seconds(41));
    assertFalse(watch.gone("a"), "the database's clock was set back");
    watch.saw(List.of(new Instance("a", 7, true)), seconds(42));
    assertTrue(watch.gone("a"));
    watch.saw(List.of(new Instance("a", 8, true)), seconds(43));
    assertFalse(watch.gone("a"), "it renewed");
  }

  @Test
  void anInstanceThatIsNotListedHasLeft() {
    Watch watch = new Watch(TERMS);
    watch.saw(List.of(new Instance("a", 7, false)), 0);
    watch.saw(List.of(), 1);
    assertTrue(watch.gone("a"));
    assertTrue(watch.gone("never seen"));
  }

  @Test
  void theDatabasesClockIsCarriedOnBetweenMeasurements() {
    AtomicLong nanos = new AtomicLong(-5);
    DatabaseClock clock = new DatabaseClock(nanos::get, 1000);
    assertEquals(1000, clock.millis());
    clock.measured(seconds(1), seconds(3), 500_000);
    var elsewhere = clock.withZone(ZoneId.of("Asia/Tokyo"));
    nanos.set(seconds(4));
    assertEquals(Instant.ofEpochMilli(502_000), clock.instant());
    assertEquals(502_000, elsewhere.millis());
    assertEquals(ZoneId.of("Asia/Tokyo"), elsewhere.getZone());
  }

  @Test
  void termsThatCannotBeKeptAreRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> new Terms(Duration.ofMillis(10), Duration.ZERO));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Terms(Duration.ofSeconds(1), Duration.ofSeconds(-1)));
    assertEquals(Duration.ofSeconds(10), TERMS.renewal());
  }

  @Test
  void aLeaseThatCannotBeRenewedLapsesInTimeAlsoWhileARenewalHangs() throws Exception {
    Terms terms = new Terms(Duration.ofMillis(600), Duration.ZERO);
    Lease lease = new Lease(terms);
    Semaphore lapsed = new Semaphore(0);
    CountDownLatch release = new CountDownLatch(1);
    lease.confirmed(System.nanoTime());
    long begin = System.nanoTime();
    Runnable whenLapsed =
        () -> {
          lapsed.release();
          throw new IllegalStateException("the watch goes on");
        };
    Renewals renewals =
        Renewals.of(terms, lease, () -> awaitQuietly(release), whenLapsed, "renewals");
    assertTrue(lapsed.tryAcquire(20, TimeUnit.SECONDS));
    assertTrue(System.nanoTime() - begin >= TimeUnit.MILLISECONDS.toNanos(590));
    lease.confirmed(System.nanoTime());
    assertTrue(lapsed.tryAcquire(20, TimeUnit.SECONDS), "a second time");
    release.countDown();
    renewals.close();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(20, TimeUnit.SECONDS);
    } catch (InterruptedException enough) {
      Thread.currentThread().interrupt();
    }
  }
}
