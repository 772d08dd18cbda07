package dev.kron.simulation;

import dev.kron.process.ProcessIdentity;
import dev.kron.process.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A process of the simulated machine. */
final class SimulatedProcess {
  /** What it is. */
  enum Kind {
    KEEPER,
    COMMAND,
    /** A process of others; it may have the pid that one of ours had. */
    STRANGER
  }

  final ProcessIdentity identity;
  final long startedNanos;
  final Kind kind;

  /** The run that it keeps or executes, null for strangers. */
  final @Nullable Run run;

  boolean alive = true;

  /** The conduct of a command. */
  @Nullable Conduct conduct;

  /** The keeper of a command, which is told if it lives. */
  @Nullable SimulatedProcess keeper;

  /** The variables of a keeper's command that tell whose run it is; empty until it is told. */
  Map<String, String> variables = Map.of();

  /** Told once when it ends, with who it was. */
  final List<Consumer<SimulatedProcess>> watchers = new ArrayList<>(1);

  SimulatedProcess(ProcessIdentity identity, long startedNanos, Kind kind, @Nullable Run run) {
    this.identity = identity;
    this.startedNanos = startedNanos;
    this.kind = kind;
    this.run = run;
  }
}
