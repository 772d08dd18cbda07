package dev.kron.fleet;

import java.io.IOException;

/**
 * A fleet, for whoever looks at it or directs it from one of its nodes. Every method may be called
 * from any thread; those that ask the database take seconds at most, and an {@link IOException}
 * says in words for people why there is no answer.
 */
public interface FleetDesk {
  /** The standing of this machine in its fleet. */
  FleetStanding standing();

  /** Reads what is on record. */
  <T> T read(Reading<T> reading) throws IOException;

  /**
   * A request is done, once for each id.
   *
   * @return whether there was something to do, now or at an earlier try
   */
  boolean request(FleetRequest request) throws IOException;

  /** A question to the database; its answer is null where there may be nothing. */
  @FunctionalInterface
  interface Reading<T> {
    T of(FleetRecords records) throws IOException;
  }
}
