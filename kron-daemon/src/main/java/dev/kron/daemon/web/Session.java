package dev.kron.daemon.web;

import dev.kron.daemon.api.Visitor;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

/** A browser that is signed in as a user. For one thread at a time. */
final class Session {
  static final Duration UNUSED = Duration.ofHours(24);
  static final Duration IN_ALL = Duration.ofDays(7);
  private static final Duration KNOWN = Duration.ofMinutes(1);

  final String id;
  final String origin;
  final Replays replays = new Replays();
  private final byte[] key;
  private final long beganNanos;
  private final Set<EndPoint> answering = new HashSet<>();
  private long usedNanos;
  private Visitor visitor;
  private long knownNanos;

  /** When it began and was last used, by the boot clock. */
  record Times(long beganNanos, long usedNanos) {}

  /**
   * A session.
   *
   * @param key a hash of the browser's key, with which both sides sign
   * @param origin the origin of the page that has the key
   */
  Session(String id, byte[] key, String origin, Visitor visitor, Times times) {
    this.id = id;
    this.key = key.clone();
    this.origin = origin;
    this.visitor = visitor;
    this.beganNanos = times.beganNanos;
    this.usedNanos = times.usedNanos;
    this.knownNanos = times.beganNanos - KNOWN.toNanos(); // so that it is looked up at once
  }

  Visitor visitor() {
    return visitor;
  }

  boolean isSigned(String text, String signature) {
    return RandomSecrets.isSigned(key, text, signature);
  }

  Times times() {
    return new Times(beganNanos, usedNanos);
  }

  /** The key as it is stored. */
  byte[] key() {
    return key.clone();
  }

  void use(long now) {
    usedNanos = now;
  }

  boolean isOver(long now) {
    return now - usedNanos > UNUSED.toNanos() || now - beganNanos > IN_ALL.toNanos();
  }

  /** Whether its user's rights have to be checked again. */
  boolean isDoubtful(long now) {
    return now - knownNanos >= KNOWN.toNanos();
  }

  void know(Visitor asked, long now) {
    visitor = asked;
    knownNanos = now;
  }

  /** Registers a connection on which something is being answered. */
  void begin(EndPoint connection) {
    answering.add(connection);
  }

  /** Removes a connection whose answer has ended. */
  void end(EndPoint connection) {
    answering.remove(connection);
  }

  boolean isAnswering() {
    return !answering.isEmpty();
  }

  /**
   * Closes the connections on which something is being answered.
   *
   * @param spared the connection that waits for the answer to this very request; null for none
   */
  void cutOff(@Nullable EndPoint spared) {
    for (EndPoint connection : Set.copyOf(answering)) {
      if (!connection.equals(spared)) {
        connection.close();
      }
    }
  }
}
