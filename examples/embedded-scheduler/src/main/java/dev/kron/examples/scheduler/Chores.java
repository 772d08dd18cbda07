package dev.kron.examples.scheduler;

import dev.kron.scheduler.Registration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a small shop has to do by the clock. The list of tasks is a value: the program gives it to a
 * scheduler, a test gives it to the test kit.
 */
public final class Chores {
  private final Path carts;
  private final Mailer mailer;
  private final Clock clock;

  /** Sends mail, and fails now and then. */
  @FunctionalInterface
  public interface Mailer {
    void send(String subject) throws IOException;
  }

  public Chores(Path carts, Mailer mailer, Clock clock) {
    this.carts = carts;
    this.mailer = mailer;
    this.clock = clock;
  }

  /** All tasks, with their times. */
  public List<Registration> registrations() {
    return List.of(
        new Registration("heartbeat", "* * * * *", this::beat, Duration.ofSeconds(10)),
        new Registration("forget-carts", "15 * * * *", this::forgetCarts, Duration.ofMinutes(5)),
        new Registration("weekly-report", "0 6 * * 1", this::report, Duration.ofMinutes(20)));
  }

  private void beat() throws IOException {
    Files.createDirectories(carts);
    Files.writeString(carts.resolve("heartbeat"), clock.instant().toString());
  }

  /** Removes carts that nobody touched for a day. Safe to run again: what is gone is gone. */
  private void forgetCarts() throws IOException {
    Instant dayAgo = clock.instant().minus(Duration.ofDays(1));
    try (Stream<Path> files = Files.list(carts)) {
      files
          .filter(file -> file.toString().endsWith(".cart"))
          .filter(file -> lastTouched(file).isBefore(dayAgo))
          .forEach(Chores::delete);
    }
  }

  private void report() throws IOException {
    mailer.send("report of " + clock.instant());
  }

  private static Instant lastTouched(Path file) {
    try {
      return Files.getLastModifiedTime(file).toInstant();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
