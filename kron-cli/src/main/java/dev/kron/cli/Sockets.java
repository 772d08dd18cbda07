package dev.kron.cli;

import dev.kron.cli.output.Surroundings;
import dev.kron.config.Account;
import java.nio.file.Path;

/** Where the daemon's socket is. */
final class Sockets {
  static final String FILE = "krond.sock";
  static final Path SYSTEM = Path.of("/run/krond", FILE);

  private Sockets() {}

  /** Where a daemon of this user listens unless it is told otherwise. */
  static Path usual(Surroundings surroundings, Path inState) {
    if (Account.current().uid() == 0) {
      return SYSTEM;
    }
    String runtime = surroundings.environment().variable("XDG_RUNTIME_DIR");
    return runtime != null && runtime.startsWith("/") ? Path.of(runtime, "krond", FILE) : inState;
  }
}
