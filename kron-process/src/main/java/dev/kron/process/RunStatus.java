package dev.kron.process;

import org.jspecify.annotations.Nullable;

/** The status of a run according to its directory and the process table. */
public sealed interface RunStatus {

  /**
   * Nobody has claimed the run. It may still begin; only {@link Processes#forestall} can rule that
   * out.
   */
  record Unclaimed() implements RunStatus {}

  /** The daemon took the run away from every keeper before it began. */
  record Forestalled() implements RunStatus {}

  /** The run's keeper is there. */
  record Running(ProcessIdentity keeper) implements RunStatus {}

  /**
   * The run could not be started.
   *
   * @param reason a sentence for people
   */
  record FailedToStart(Stage stage, String reason) implements RunStatus {}

  /**
   * The run ended, and its keeper recorded how.
   *
   * @param exitCode as shells report it: 128+n also if signal n ended it
   * @param signal the signal that ended it, if that is certain
   */
  record Ended(int exitCode, @Nullable Integer signal) implements RunStatus {}

  /**
   * The run began, its keeper is gone, and nobody can tell how it ended.
   *
   * @param reason what is missing from the record
   */
  record Unknown(String reason) implements RunStatus {}
}
