package dev.kron.service;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;

/**
 * The exit codes of a service that mean something of their own.
 *
 * @param success beside 0
 * @param noRestart after which it is not started again, whatever its restart policy says
 */
public record ExitCodes(Set<Integer> success, Set<Integer> noRestart) {
  /** Only 0 is a success, and the policy decides about all. */
  public static final ExitCodes STANDARD = new ExitCodes(Set.of(), Set.of());

  public ExitCodes {
    success = Collections.unmodifiableSet(new TreeSet<>(success));
    noRestart = Collections.unmodifiableSet(new TreeSet<>(noRestart));
  }

  public boolean isSuccess(int exitCode) {
    return exitCode == 0 || success.contains(exitCode);
  }
}
