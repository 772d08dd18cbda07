package dev.kron.scheduler;

import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * The settings that instances which share a task must agree on.
 *
 * @param options everything else that was chosen, in words that can be compared
 */
public record TaskConfiguration(
    String name, String cronExpression, Duration retryDelay, ZoneId zone, String options) {

  static TaskConfiguration of(Registration registration, ZoneId zone) {
    TaskOptions chosen = registration.options();
    String options =
        chosen.equals(TaskOptions.NONE)
            ? ""
            : "retries "
                + (chosen.retryLimit() == Integer.MAX_VALUE ? "-" : chosen.retryLimit() + "")
                + ", backoff "
                + chosen.backoff()
                + " up to "
                + text(chosen.longestRetryDelay())
                + ", timeout "
                + text(chosen.timeout())
                + ", window "
                + chosen.window();
    return new TaskConfiguration(
        registration.name(),
        registration.cronExpression(),
        registration.retryDelay(),
        zone,
        options);
  }

  private static String text(@Nullable Duration duration) {
    return duration == null ? "-" : duration.toString();
  }
}
