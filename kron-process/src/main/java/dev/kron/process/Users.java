package dev.kron.process;

import java.util.List;
import java.util.Optional;

/** The system's user and group database; a simulation puts its own behind it. */
public interface Users {

  /** Looks up a user by name or, if there is no such name, by number. */
  Optional<Account> user(String nameOrNumber);

  /** The id of a group by name or, if there is no such name, by number. */
  Optional<Integer> group(String nameOrNumber);

  /** The groups of a user, including {@code gid}. */
  List<Integer> groups(Account account, int gid);

  /** The user that this process runs as. */
  Account self();

  /** Whether commands can be started as other users. */
  boolean mayBecomeOthers();

  /**
   * A user.
   *
   * @param gid the primary group
   * @param home the home directory
   * @param shell the login shell
   */
  record Account(String name, int uid, int gid, String home, String shell) {}
}
