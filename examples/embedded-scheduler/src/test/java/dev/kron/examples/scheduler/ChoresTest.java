package dev.kron.examples.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.Registration;
import dev.kron.scheduler.testkit.SchedulerTestKit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Weeks of chores, in no time. */
class ChoresTest {
  private final SchedulerTestKit kit =
      SchedulerTestKit.startingAt(ZonedDateTime.parse("2026-03-01T00:00:30+01:00[Europe/Paris]"));
  private final List<String> mails = new ArrayList<>();
  @TempDir private Path carts;

  /** Only the report: weeks of heartbeats would be tens of thousands of files written. */
  private Registration report(Chores.Mailer mailer) {
    return new Chores(carts, mailer, kit.clock()).registrations().getLast();
  }

  @Test
  void reportsOnMondayMorningsInSummerAndInWinter() {
    kit.initialize(List.of(report(mails::add)));
    kit.advance(Duration.ofDays(35));
    assertEquals(5, mails.size());
    assertEquals("report of 2026-03-23T05:00:00Z", mails.get(3));
    assertEquals("report of 2026-03-30T04:00:00Z", mails.get(4));
  }

  @Test
  void sendsTheReportAgainUntilItIsSent() {
    Chores.Mailer moody =
        subject -> {
          mails.add(subject);
          if (mails.size() < 3) {
            throw new IOException("the mail server is down");
          }
        };
    kit.initialize(List.of(report(moody)));
    kit.advance(Duration.ofDays(2));
    assertEquals(
        List.of(
            Instant.parse("2026-03-02T05:00:00Z"),
            Instant.parse("2026-03-02T05:20:00Z"),
            Instant.parse("2026-03-02T05:40:00Z")),
        kit.starts("weekly-report"));
  }

  @Test
  void forgetsCartsAfterADay() throws IOException {
    Path old = Files.writeString(carts.resolve("1.cart"), "");
    Path recent = Files.writeString(carts.resolve("2.cart"), "");
    Files.setLastModifiedTime(old, FileTime.from(Instant.parse("2026-02-27T22:00:00Z")));
    Files.setLastModifiedTime(recent, FileTime.from(Instant.parse("2026-02-28T22:00:00Z")));
    kit.initialize(new Chores(carts, mails::add, kit.clock()).registrations());
    kit.advance(Duration.ofHours(1));
    assertFalse(Files.exists(old));
    assertTrue(Files.exists(recent));
  }
}
