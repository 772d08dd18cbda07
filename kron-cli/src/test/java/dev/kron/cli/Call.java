package dev.kron.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.cli.output.Output;
import dev.kron.cli.output.Output.Look;
import dev.kron.cli.output.Surroundings;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A call of {@code kron} within the test's own process: a clock that stands, and no environment.
 */
final class Call {
  static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  private final Map<String, String> environment = new HashMap<>();
  private Path directory = Path.of("").toAbsolutePath();
  private Look look = Look.PLAIN;
  private Commands commands = Commands.offline();
  private ZoneId zone = ZoneOffset.UTC;
  private LongSupplier now = NOW::getEpochSecond;

  /** What came of it. */
  record Result(int code, String out, String err) {}

  Call in(Path directory) {
    this.directory = directory;
    return this;
  }

  Call with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  Call at(ZoneId zone) {
    this.zone = zone;
    return this;
  }

  Call on(Look look) {
    this.look = look;
    return this;
  }

  /** With the commands that ask a daemon, and a clock that goes. */
  Call online() {
    commands = Commands.everything();
    now = () -> System.currentTimeMillis() / 1000;
    return this;
  }

  Result run(String... words) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    int code =
        new Kron(commands)
            .run(
                List.of(words),
                new Surroundings(
                    new Output(out, look),
                    new Output(err, look),
                    directory,
                    environment::get,
                    now,
                    zone));
    return new Result(code, out.toString(UTF_8), err.toString(UTF_8));
  }

  /** The shortest way to call. */
  static Result kron(String... words) {
    return new Call().run(words);
  }
}
