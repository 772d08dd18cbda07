package dev.kron.cli;

import dev.kron.cli.output.Output;
import dev.kron.cli.output.Output.Look;
import dev.kron.cli.output.Surroundings;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;

/**
 * Runs when the program is built, to show the JVM which classes the commands need: what it loads
 * here, it maps ready-made from the AOT cache later.
 */
final class Training {
  private Training() {}

  public static void main(String[] ignored) {
    Kron kron = new Kron(Commands.offline());
    for (List<String> words : lines()) {
      Output nowhere = new Output(OutputStream.nullOutputStream(), Look.PLAIN);
      Surroundings surroundings =
          new Surroundings(
              nowhere,
              nowhere,
              InputStream.nullInputStream(),
              Path.of("").toAbsolutePath(),
              System::getenv,
              () -> System.currentTimeMillis() / 1000);
      if (kron.run(words, surroundings) != ExitCode.OK) {
        throw new IllegalStateException("kron " + String.join(" ", words) + " failed");
      }
    }
  }

  private static List<List<String>> lines() {
    return List.of(List.of("version"), List.of("help"), List.of("completion", "bash"));
  }
}
