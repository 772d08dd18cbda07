package dev.kron.cli.crontab;

import dev.kron.job.JobSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The variables that many jobs of a crontab share, for a file of their own.
 *
 * @param variables {@code NAME=value}, no name twice
 */
record SharedVariables(List<String> variables) {
  /** So many jobs are many. */
  private static final int MANY = 3;

  SharedVariables {
    variables = List.copyOf(variables);
  }

  static SharedVariables of(List<JobSpec> jobs) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (JobSpec job : jobs) {
      job.environment().forEach(variable -> counts.merge(variable, 1, Integer::sum));
    }
    Map<String, String> chosen = new LinkedHashMap<>();
    counts.forEach(
        (variable, count) -> {
          String known = chosen.get(name(variable));
          boolean more = known == null || count > counts.getOrDefault(known, 0);
          if (count >= MANY && more && !name(variable).startsWith("KRON_")) {
            chosen.put(name(variable), variable);
          }
        });
    return new SharedVariables(new ArrayList<>(chosen.values()));
  }

  private static String name(String variable) {
    return variable.substring(0, variable.indexOf('='));
  }

  /** Whether a job has the same variables if it takes them from the file. */
  boolean isFor(JobSpec job) {
    List<String> names = job.environment().stream().map(SharedVariables::name).toList();
    return !variables.isEmpty()
        && variables.stream().allMatch(shared -> names.contains(name(shared)));
  }

  /** The job with these variables from the file; others stay on its line. */
  JobSpec in(String envfile, JobSpec job) {
    return JobSpec.builder(job.file(), job.name(), job.schedule(), job.command())
        .shell(job.shell())
        .user(job.user())
        .cwd(job.cwd())
        .envfile(envfile)
        .environment(job.environment().stream().filter(each -> !variables.contains(each)).toList())
        .onFailure(job.onFailure())
        .build();
  }
}
