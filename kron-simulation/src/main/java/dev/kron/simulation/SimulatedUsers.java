package dev.kron.simulation;

import dev.kron.process.Users;
import java.util.List;
import java.util.Optional;

/** A machine with one user. */
final class SimulatedUsers implements Users {
  private static final Account KRON = new Account("kron", 1000, 1000, "/home/kron", "/bin/sh");

  @Override
  public Optional<Account> user(String nameOrNumber) {
    return nameOrNumber.equals("kron") ? Optional.of(KRON) : Optional.empty();
  }

  @Override
  public Optional<Integer> group(String nameOrNumber) {
    return nameOrNumber.equals("kron") ? Optional.of(1000) : Optional.empty();
  }

  @Override
  public List<Integer> groups(Account account, int gid) {
    return List.of(gid);
  }

  @Override
  public Account self() {
    return KRON;
  }

  @Override
  public boolean mayBecomeOthers() {
    return true;
  }
}
