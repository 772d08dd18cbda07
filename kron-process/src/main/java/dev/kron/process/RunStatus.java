package dev.kron.process;

import org.jspecify.annotations.Nullable;

/** The status of a run, as its directory and the process table tell it. */
public sealed interface RunStatus {

  /**
   * Nobody has claimed it. It may still begin; only {@link Processes#forestall} can rule that out.
   */
  record Unclaimed() implements RunStatus {}

  /** The daemon took it away from every keeper before it began. */
  record Forestalled() implements RunStatus {}

  /** Its keeper is there. */
  record Running(ProcessIdentity keeper) implements RunStatus {}

  /**
   * It could not be started.
   *
   * @param reason a sentence for whoever reads the record
   */
  record FailedToStart(Stage stage, String reason) implements RunStatus {}

  /**
   * It ended, and its keeper wrote down how.
   *
   * @param exitCode as a shell tells it: 128+n also where signal n ended it
   * @param signal the signal that ended it, where that is certain
   */
  record Ended(int exitCode, @Nullable Integer signal) implements RunStatus {}

  /**
   * It began, its keeper is gone, and nobody can tell how it ended.
   *
   * @param reason what is missing from the record
   */
  record Unknown(String reason) implements RunStatus {}
}
