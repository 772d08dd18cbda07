package dev.kron.cli;

import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Terminal;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;

/** Where {@code ./kron} enters. */
public final class Main {
  private Main() {}

  public static void main(String[] words) {
    int code = call(List.of(words));
    if (code != ExitCode.OK) {
      System.exit(code);
    }
  }

  /** One call on the streams of this process. */
  static int call(List<String> words) {
    Output out = new Output(new FileOutputStream(FileDescriptor.out), Terminal.look(Terminal.OUT));
    Output err = new Output(new FileOutputStream(FileDescriptor.err), Terminal.look(Terminal.ERR));
    Surroundings surroundings =
        new Surroundings(
            out,
            err,
            Path.of("").toAbsolutePath(),
            System::getenv,
            () -> System.currentTimeMillis() / 1000,
            ZoneId.systemDefault());
    return new Kron(Commands.everything()).run(words, surroundings);
  }
}
