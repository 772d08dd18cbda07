package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A program that runs the lines of a crontab, as it is shipped and with its usual settings. */
interface CronDaemon {
  String name();

  /**
   * Starts it, and returns when it can be trusted to have read the lines.
   *
   * @param scratch a directory of its own
   */
  Running start(Path scratch, Crontab crontab) throws IOException, InterruptedException;

  /** One that runs. */
  record Running(Process process) implements AutoCloseable {
    /** Ends it and what it has started, by their ids. */
    @Override
    public void close() {
      var others = process.descendants().toList();
      process.destroy();
      try {
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
          process.destroyForcibly().waitFor();
        }
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
      others.forEach(ProcessHandle::destroyForcibly);
    }
  }
}
