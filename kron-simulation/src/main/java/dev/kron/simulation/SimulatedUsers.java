package dev.kron.simulation;

import dev.kron.process.Users;
import java.util.List;
import java.util.Optional;

/** A machine with two users; the daemon is the first. */
final class SimulatedUsers implements Users {
  private static final Account KRON = new Account("kron", 1000, 1000, "/home/kron", "/bin/sh");
  static final Account OTHER = new Account("other", 1001, 1001, "/home/other", "/bin/sh");

  @Override
  public Optional<Account> user(String nameOrNumber) {
    return switch (nameOrNumber) {
      case "kron" -> Optional.of(KRON);
      case "other" -> Optional.of(OTHER);
      default -> Optional.empty();
    };
  }

  @Override
  public Optional<Integer> group(String nameOrNumber) {
    return user(nameOrNumber).map(Account::gid);
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
