package dev.kron.cli.output;

import java.nio.file.Path;
import java.time.ZoneId;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The world as a command sees it; a test gives it another.
 *
 * @param directory what relative paths start from
 * @param now the present epoch second
 * @param zone of this machine
 */
public record Surroundings(
    Output out,
    Output err,
    Path directory,
    Environment environment,
    LongSupplier now,
    ZoneId zone) {

  /** The variables around the process. */
  @FunctionalInterface
  public interface Environment {
    @Nullable String variable(String name);
  }
}
