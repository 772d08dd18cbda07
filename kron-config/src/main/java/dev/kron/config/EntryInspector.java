package dev.kron.config;

import dev.kron.job.JobSpec;

/**
 * Looks at each valid entry while its line is at hand, so that what it has to say can be said at
 * the very field, and so that a million entries need not be gone through a second time.
 */
@FunctionalInterface
public interface EntryInspector {
  /** Has nothing to say. */
  EntryInspector NONE = (_, _) -> {};

  void inspect(JobSpec job, Remarks remarks);

  /** Both, one after the other. */
  default EntryInspector and(EntryInspector next) {
    return (job, remarks) -> {
      inspect(job, remarks);
      next.inspect(job, remarks);
    };
  }

  /** Takes what is to be said about one entry. */
  interface Remarks {
    /**
     * Warns of something legal that will surprise.
     *
     * @param field the key of the field that is meant; anything else means the schedule
     */
    void warn(String field, String message);

    /** Refuses the entry, and with it the file. */
    void refuse(String field, String message);
  }
}
