package dev.kron.scheduler;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.helpers.NOPLogger;

/**
 * A log that cannot hurt whoever writes to it: neither a back end that throws nor an exception
 * whose own methods throw gets out, and no interrupt is left behind. What could not be logged as it
 * is, is tried once more with nothing but strings.
 */
final class SafeLog {
  private final Logger logger;

  private SafeLog(Logger logger) {
    this.logger = logger;
  }

  static SafeLog of(Class<?> owner) {
    try {
      return new SafeLog(LoggerFactory.getLogger(owner));
    } catch (Throwable brokenBackEnd) {
      return new SafeLog(NOPLogger.NOP_LOGGER);
    }
  }

  /** A last argument that is a throwable is logged with its stack trace, as in SLF4J. */
  void error(String format, @Nullable Object... arguments) {
    log(Level.ERROR, format, arguments);
  }

  void warn(String format, @Nullable Object... arguments) {
    log(Level.WARN, format, arguments);
  }

  void info(String format, @Nullable Object... arguments) {
    log(Level.INFO, format, arguments);
  }

  void debug(String format, @Nullable Object... arguments) {
    log(Level.DEBUG, format, arguments);
  }

  private void log(Level level, String format, @Nullable Object[] arguments) {
    boolean interrupted = Thread.currentThread().isInterrupted();
    try {
      write(level, format, arguments);
    } catch (Throwable failed) {
      writePlainly(level, format, arguments, failed);
    }
    if (!interrupted) {
      Thread.interrupted(); // a back end's business, not that of whoever logs
    }
  }

  private void write(Level level, String format, @Nullable Object[] arguments) {
    switch (level) {
      case ERROR -> logger.error(format, arguments);
      case WARN -> logger.warn(format, arguments);
      case INFO -> logger.info(format, arguments);
      case DEBUG, TRACE -> logger.debug(format, arguments);
    }
  }

  private void writePlainly(
      Level level, String format, @Nullable Object[] arguments, Throwable failed) {
    try {
      String texts = Arrays.stream(arguments).map(SafeLog::describe).toList().toString();
      String failure = failed.getClass().getName();
      write(level, format + " {} (logging it failed with {})", new Object[] {texts, failure});
    } catch (Throwable again) {
      // There is nobody left to tell.
    }
  }

  /** An object's own words or, where those fail, its class. */
  static String describe(@Nullable Object object) {
    try {
      return String.valueOf(object);
    } catch (Throwable unspeakable) {
      return object == null ? "null" : object.getClass().getName();
    }
  }
}
