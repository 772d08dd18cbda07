package dev.kron.daemon.web;

import dev.kron.daemon.api.Visitor;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Links that were given out and not used yet. They are kept in memory only and end with the daemon.
 * For one thread at a time.
 */
final class LoginLinks {
  static final Duration HOLD = Duration.ofSeconds(60);

  /** The most links of one user; a further one replaces the oldest. */
  static final int OF_ONE = 8;

  private static final int BYTES = 32;

  private final Deque<Link> open = new ArrayDeque<>();

  private record Link(Hash token, Visitor visitor, long untilNanos) {}

  private static final class Hash {
    private final byte[] bytes;

    Hash(String token) {
      bytes = RandomSecrets.hash(token);
    }

    boolean is(Hash other) {
      return MessageDigest.isEqual(bytes, other.bytes);
    }
  }

  /** Makes a token for a user. */
  String give(Visitor visitor, long now) {
    expire(now);
    if (open.stream().filter(link -> link.visitor.uid() == visitor.uid()).count() >= OF_ONE) {
      for (Iterator<Link> links = open.iterator(); links.hasNext(); ) {
        if (links.next().visitor.uid() == visitor.uid()) {
          links.remove();
          break;
        }
      }
    }
    String token = RandomSecrets.word(BYTES);
    open.addLast(new Link(new Hash(token), visitor, now + HOLD.toNanos()));
    return token;
  }

  /** Redeems a token; null if it is unknown or expired. A token works once. */
  @Nullable Visitor redeem(String token, long now) {
    expire(now);
    var given = new Hash(token);
    Visitor found = null;
    for (Iterator<Link> links = open.iterator(); links.hasNext(); ) {
      Link link = links.next();
      if (link.token.is(given)) {
        found = link.visitor;
        links.remove();
      }
    }
    return found;
  }

  /** Revokes the links of a user. */
  void drop(int uid) {
    open.removeIf(link -> link.visitor.uid() == uid);
  }

  boolean isEmpty(long now) {
    expire(now);
    return open.isEmpty();
  }

  private void expire(long now) {
    open.removeIf(link -> now - link.untilNanos >= 0);
  }
}
