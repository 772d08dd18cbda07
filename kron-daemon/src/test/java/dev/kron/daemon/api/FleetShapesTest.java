package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.kron.cron.CronCalendar;
import dev.kron.fleet.Claim;
import dev.kron.fleet.FleetRecords;
import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is told of a fleet's job. */
final class FleetShapesTest {
  private static final long RERUN = 1_793_620_820_000L;

  @Test
  void whenALostRunIsRepeatedIsToldOnlyOfThoseThatAre() {
    assertEquals(Instant.ofEpochMilli(RERUN).toString(), rerunAt(Claim.Kind.START, true));
    assertNull(rerunAt(Claim.Kind.START, false));
    assertNull(rerunAt(Claim.Kind.TRIGGER, true));
  }

  private static @Nullable String rerunAt(Claim.Kind kind, boolean rerun) {
    long period = kind.hasPeriod() ? 1_793_620_800L : CronCalendar.NONE;
    var run =
        new FleetRecords.Run(
            "r1",
            "fleet:a.kron:a",
            new UUID(0, 1),
            "n1",
            kind,
            period,
            1,
            "lost",
            null,
            null,
            "",
            false,
            RERUN - 30_000,
            null,
            null,
            "");
    var row = new FleetRecords.Row(null, period, run, null, run, RERUN - 20_000, RERUN);
    var job = new FleetRecords.Job("fleet:a.kron:a", "any", false, "d", 2, 0, List.of(row));
    Json json = Caller.json(JsonWriter.text(writer -> FleetShapes.job(writer, job, rerun)));
    Json told = json.list("rows").getFirst().get("rerunAt");
    return told.isNull() ? null : String.valueOf(told.value());
  }
}
