package dev.kron.job;

import dev.kron.json.JsonWriter;
import dev.kron.schedule.Decision;
import dev.kron.schedule.Distribution;
import java.io.IOException;

/** A decision with all its fields, the same in every command and in the API. */
public final class DecisionJson {
  private DecisionJson() {}

  /** Writes the members. The caller writes the object around them and may add more. */
  public static void members(JsonWriter json, Decision decision) throws IOException {
    json.member("identity", decision.identity());
    json.member("periodId", decision.periodId());
    json.member("periodKey", decision.periodKey());
    json.second("nominalTime", decision.nominalEpochSecond());
    json.second("windowStart", decision.windowStartEpochSecond());
    json.second("windowEnd", decision.windowEndEpochSecond());
    json.member("windowMode", decision.windowMode());
    json.member("timezone", decision.timezone());
    distribution(json, decision);
    json.member("seedStrategy", decision.seedStrategy());
    json.member("salt", decision.salt());
    json.member("seedHash", decision.seedHash());
    if (decision.unschedulable()) {
      json.member("chosenTime", (String) null);
    } else {
      json.second("chosenTime", decision.chosenEpochSecond());
    }
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
}
