package dev.kron.config;

import dev.kron.job.JobSpec;

/**
 * An inspector of each valid entry while its line is at hand, so that its messages point at the
 * field, and a million entries need no second pass.
 */
@FunctionalInterface
public interface EntryInspector {
  /** An inspector that reports nothing. */
  EntryInspector NONE = (_, _) -> {};

  void inspect(JobSpec job, Remarks remarks);

  /** An inspector that runs both, one after the other. */
  default EntryInspector and(EntryInspector next) {
    return (job, remarks) -> {
      inspect(job, remarks);
      next.inspect(job, remarks);
    };
  }

  /** The receiver of messages about one entry. */
  interface Remarks {
    /**
     * Warns of something valid that will surprise.
     *
     * @param field the key of the field; anything else means the schedule
     */
    void warn(String field, String message);

    /** Refuses the entry, and with it the file. */
    void refuse(String field, String message);
  }
}
