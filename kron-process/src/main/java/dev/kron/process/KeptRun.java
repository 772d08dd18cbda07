package dev.kron.process;

import java.util.Map;

/**
 * A run whose keeper lives, as the keeper itself shows it.
 *
 * @param runId the name of the run's directory
 * @param variables those of the command whose names begin with {@code KRON_}
 */
public record KeptRun(String runId, ProcessIdentity keeper, Map<String, String> variables) {
  public KeptRun {
    variables = Map.copyOf(variables);
  }
}
