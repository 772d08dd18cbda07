package dev.kron.cli;

import dev.kron.cli.output.Times;
import dev.kron.json.JsonWriter;
import dev.kron.schedule.Decision;
import dev.kron.schedule.Distribution;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A decision with all its fields, the same for every command that shows one. */
final class DecisionJson {
  private DecisionJson() {}

  /** Writes the members; the object around them is the caller's, who may add more. */
  static void members(JsonWriter json, Decision decision) throws IOException {
    json.member("identity", decision.identity());
    json.member("periodId", decision.periodId());
    json.member("periodKey", decision.periodKey());
    json.member("nominalTime", Times.utc(decision.nominalEpochSecond()));
    json.member("windowStart", Times.utc(decision.windowStartEpochSecond()));
    json.member("windowEnd", Times.utc(decision.windowEndEpochSecond()));
    json.member("windowMode", decision.windowMode());
    json.member("timezone", decision.timezone());
    distribution(json, decision);
    json.member("seedStrategy", decision.seedStrategy());
    json.member("salt", decision.salt());
    json.member("seedHash", decision.seedHash());
    json.member("chosenTime", chosen(decision));
    json.member("unschedulable", decision.unschedulable());
    json.member("reason", decision.reason());
    json.member("attempts", decision.attempts());
    json.member("maxAttempts", decision.maxAttempts());
    if (decision.schedule().choosesExactly()) {
      json.member("choose", "exact");
    }
  }

  private static void distribution(JsonWriter json, Decision decision) throws IOException {
    json.name("distribution").beginObject();
    json.member("name", decision.distribution().name());
    json.name("parameters").beginObject();
    for (Distribution.Parameter parameter : decision.distributionParameters()) {
      json.name(parameter.name());
      if (parameter.isNumber()) {
        json.value(Double.parseDouble(parameter.value()));
      } else {
        json.value(parameter.value());
      }
    }
    json.endObject().endObject();
  }

  private static @Nullable String chosen(Decision decision) {
    return decision.unschedulable() ? null : Times.utc(decision.chosenEpochSecond());
  }
}
