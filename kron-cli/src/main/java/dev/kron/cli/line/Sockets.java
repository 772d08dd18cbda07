package dev.kron.cli.line;

import dev.kron.cli.output.Surroundings;
import dev.kron.config.Account;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a daemon keeps its state and where its socket is, unless it is told otherwise. */
public final class Sockets {
  public static final String FILE = "krond.sock";
  private static final Path SYSTEM = Path.of("/run/krond", FILE);
  private static final Path SYSTEM_STATE = Path.of("/var/lib/krond");

  private Sockets() {}

  /** Where a daemon of this user listens. */
  public static Path usual(Surroundings surroundings, Path inState) {
    if (Account.current().uid() == 0) {
      return SYSTEM;
    }
    Path runtime = inRuntimeDirectory(surroundings);
    return runtime == null ? inState : runtime;
  }

  private static @Nullable Path inRuntimeDirectory(Surroundings surroundings) {
    String runtime = surroundings.environment().variable("XDG_RUNTIME_DIR");
    return runtime != null && runtime.startsWith("/") ? Path.of(runtime, "krond", FILE) : null;
  }

  /** Where a daemon may be that this user wants to talk to: their own first, then the system's. */
  public static List<Path> places(Surroundings surroundings) {
    List<Path> places = new ArrayList<>();
    if (Account.current().uid() != 0) {
      Path runtime = inRuntimeDirectory(surroundings);
      if (runtime != null) {
        places.add(runtime);
      }
      Path state = usualState(surroundings);
      if (state != null) {
        places.add(state.resolve(FILE));
      }
    }
    places.add(SYSTEM);
    return places;
  }

  /** The state directory of this user's daemon; null where it cannot be told. */
  public static @Nullable Path usualState(Surroundings surroundings) {
    if (Account.current().uid() == 0) {
      return SYSTEM_STATE;
    }
    String states = surroundings.environment().variable("XDG_STATE_HOME");
    if (states != null && states.startsWith("/")) {
      return Path.of(states, "krond");
    }
    String home = surroundings.environment().variable("HOME");
    return home == null || home.isEmpty() ? null : Path.of(home, ".local", "state", "krond");
  }
}
