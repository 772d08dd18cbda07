package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.process.Users;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DoorkeeperTest {
  private static final int SELF = 500;
  private static final int READERS = 70;
  private static final int OPERATORS = 80;

  /** A database in which who is in which group is written down. */
  private record Database(Map<Integer, List<Integer>> groupsByUser) implements Users {
    @Override
    public Optional<Account> user(String nameOrNumber) {
      return Optional.empty();
    }

    @Override
    public Optional<Integer> group(String name) {
      return switch (name) {
        case "readers" -> Optional.of(READERS);
        case "operators" -> Optional.of(OPERATORS);
        default -> Optional.empty();
      };
    }

    @Override
    public List<Integer> groups(Account account, int gid) {
      return groupsByUser.getOrDefault(account.uid(), List.of(gid));
    }

    @Override
    public Account self() {
      return account(SELF, SELF);
    }

    @Override
    public boolean mayBecomeOthers() {
      return false;
    }
  }

  private static Users.Account account(int uid, int gid) {
    return new Users.Account("user" + uid, uid, gid, "/", "/bin/sh");
  }

  private static Authority authority(
      @Nullable String readers, @Nullable String operators, int uid, Integer... groups) {
    var database = new Database(Map.of(uid, List.of(groups)));
    return new Doorkeeper(database, readers, operators, null).authority(account(uid, 1000));
  }

  @Test
  void letsRootAndTheDaemonsUserDoEverything() {
    assertEquals(Authority.ALL, authority(null, null, 0, 0));
    assertEquals(Authority.ALL, authority(null, null, SELF, SELF));
  }

  @Test
  void goesByTheGroupDatabaseAndNotOnlyByThePrimaryGroup() {
    assertEquals(Authority.READ, authority("readers", null, 7, 1000, READERS));
    assertEquals(Authority.OPERATE, authority("readers", "operators", 7, 1000, READERS, OPERATORS));
    assertEquals(Authority.OPERATE, authority(null, "operators", 7, 1000, OPERATORS));
  }

  @Test
  void letsNobodyElseDoAnything() {
    assertEquals(Authority.NOTHING, authority(null, null, 7, 1000, READERS, OPERATORS));
    assertEquals(Authority.NOTHING, authority("readers", "operators", 7, 1000));
    assertEquals(Authority.NOTHING, authority("gone", null, 7, 1000));
    assertEquals(Authority.READ, authority("readers", "gone", 7, READERS));
  }
}
