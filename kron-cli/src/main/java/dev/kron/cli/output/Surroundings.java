package dev.kron.cli.output;

import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The world as a command sees it; a test gives it another.
 *
 * @param directory what relative paths start from
 * @param now the present epoch second
 */
public record Surroundings(
    Output out, Output err, Path directory, Environment environment, LongSupplier now) {

  /** The variables around the process. */
  @FunctionalInterface
  public interface Environment {
    @Nullable String variable(String name);
  }
}
