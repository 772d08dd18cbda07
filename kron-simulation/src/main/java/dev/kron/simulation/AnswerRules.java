package dev.kron.simulation;

import dev.kron.daemon.loop.Answer;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Holds what operators were told of jobs against what is durable. */
final class AnswerRules {
  private final JobWitnesses jobs;
  private final BiFunction<Invariant, String, Violation> fail;

  AnswerRules(JobWitnesses jobs, BiFunction<Invariant, String, Violation> fail) {
    this.jobs = jobs;
    this.fail = fail;
  }

  /** An answer to an operator is checked. */
  void answered(String what, @Nullable String identity, Answer answer) {
    if (identity == null || !answer.isDone() || jobs.job(identity).damaged) {
      return;
    }
    StateView platter = jobs.platter(identity);
    if (!isDurable(what, platter, answer.runId())) {
      throw fail.apply(
          Invariant.ANSWERS_ARE_DURABLE,
          what + " " + identity + ": " + answer + ", on the platter is " + platter);
    }
  }

  private static boolean isDurable(
      String what, @Nullable StateView platter, @Nullable String runId) {
    return switch (what) {
      case "suspend" -> platter != null && platter.suspended();
      case "resume" -> platter == null || !platter.suspended();
      case "run" ->
          platter != null
              && runId != null
              && (platter.find(runId) != null
                  || platter.history().stream().anyMatch(it -> it.runId().equals(runId)));
      // Those that began later are not meant; they are younger than the answer's write.
      case "end runs" ->
          platter == null
              || platter.active().isEmpty()
              || platter.active().stream().anyMatch(it -> !it.ending().isEmpty())
              || platter.history().stream()
                  .anyMatch(it -> it.why().cause().equals("stopped-by-operator"));
      default -> true;
    };
  }
}
