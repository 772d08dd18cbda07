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

  /** How far a file was let in. */
  public enum Status {
    /** Its lines were read. */
    READ,
    /** It can be read, but is not a file to trust, or is too large. */
    REFUSED,
    /** It does not exist, or may not be read, or the disk failed. */
    UNREADABLE
  }

  /** No errors; there may be warnings. */
  public boolean isValid() {
    return diagnostics.stream().noneMatch(Diagnostic::isError);
  }
}
