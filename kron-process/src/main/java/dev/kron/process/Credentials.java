package dev.kron.process;

import java.util.List;

/**
 * The user that a command runs as.
 *
 * @param user the name, for messages
 * @param groups supplementary group ids, complete
 */
public record Credentials(String user, int uid, int gid, List<Integer> groups) {
  public Credentials {
    groups = List.copyOf(groups);
  }
}
