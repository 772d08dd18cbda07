package dev.kron.config;

import dev.kron.job.JobSpec;
import java.util.List;

/**
 * The contents of a krontab file.
 *
 * @param file absolute, normalised path, links in it not resolved
 * @param jobs the valid entries, in the order of the file
 * @param diagnostics in the order of the file
 */
public record Krontab(
    String file, Status status, List<JobSpec> jobs, List<Diagnostic> diagnostics) {
  public Krontab {
    jobs = List.copyOf(jobs);
    diagnostics = List.copyOf(diagnostics);
  }

  /** The result of reading a file. */
  public enum Status {
    /** The file was read. */
    READ,
    /** The file can be read, but cannot be trusted or is too large. */
    REFUSED,
    /** The file does not exist or may not be read, or the disk failed. */
    UNREADABLE
  }

  /** Whether there are no errors; there may be warnings. */
  public boolean isValid() {
    return diagnostics.stream().noneMatch(Diagnostic::isError);
  }
}
