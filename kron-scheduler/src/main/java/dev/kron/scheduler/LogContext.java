package dev.kron.scheduler;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;

/**
 * Says in SLF4J's MDC whose lines are being logged, and puts back what stood there. A back end that
 * throws is left alone: lines without it are better than no run.
 */
final class LogContext {
  static final String SCHEDULER = "kron.scheduler";
  static final String TASK = "kron.task";
  static final String RUN = "kron.run";

  /** Whether there is a back end that has a use for it. */
  private static final boolean WANTED = wanted();

  private LogContext() {}

  private static boolean wanted() {
    try {
      MDCAdapter adapter = MDC.getMDCAdapter();
      return adapter != null && !(adapter instanceof NOPMDCAdapter);
    } catch (Throwable brokenBackEnd) {
      return false;
    }
  }

  static void run(String scheduler, String task, String run, Callback callback) throws Exception {
    if (!WANTED) {
      callback.run();
      return;
    }
    String outerScheduler = exchange(SCHEDULER, scheduler);
    String outerTask = exchange(TASK, task);
    String outerRun = exchange(RUN, run);
    try {
      callback.run();
    } finally {
      exchange(SCHEDULER, outerScheduler);
      exchange(TASK, outerTask);
      exchange(RUN, outerRun);
    }
  }

  private static @Nullable String exchange(String key, @Nullable String value) {
    try {
      String before = MDC.get(key);
      if (value == null) {
        MDC.remove(key);
      } else {
        MDC.put(key, value);
      }
      return before;
    } catch (Throwable brokenBackEnd) {
      return null;
    }
  }
}
