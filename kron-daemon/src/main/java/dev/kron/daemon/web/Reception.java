package dev.kron.daemon.web;

import dev.kron.daemon.api.ApiProblem;
import dev.kron.daemon.api.Visitor;
import dev.kron.daemon.loop.Clocks;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.EndPoint;

/**
 * The state of one server for as long as it listens: its addresses and its epoch, a random word
 * that every signature covers. Signatures for other servers, or from before this one, are
 * worthless. Times are this server's own, so that no two clocks have to agree.
 */
final class Reception {
  private static final int EPOCH_BYTES = 16;

  private final Clocks clocks;
  private final Sessions sessions;
  private final LoginLinks links;
  private final Runnable changed;
  private final String epoch = RandomSecrets.word(EPOCH_BYTES);
  private final long openedNanos;
  private volatile Set<String> origins = Set.of();
  private volatile Set<String> hosts = Set.of();

  /**
   * A server that is not open yet.
   *
   * @param changed called when sessions have changed
   */
  Reception(Clocks clocks, Sessions sessions, LoginLinks links, Runnable changed) {
    this.clocks = clocks;
    this.sessions = sessions;
    this.links = links;
    this.changed = changed;
    this.openedNanos = clocks.bootNanos();
  }

  /** The origins of a server at a port, its own first. */
  static List<String> origins(int port, List<String> others) {
    var all = new LinkedHashSet<String>();
    all.add("http://127.0.0.1:" + port);
    all.addAll(others);
    return List.copyOf(all);
  }

  /** Opens the server at these addresses. */
  void open(List<String> addresses) {
    var names = new LinkedHashSet<String>();
    for (String origin : addresses) {
      names.add(origin.substring(origin.indexOf("//") + 2));
    }
    hosts = names;
    origins = new LinkedHashSet<>(addresses);
  }

  Set<String> origins() {
    return origins;
  }

  Set<String> hosts() {
    return hosts;
  }

  String epoch() {
    return epoch;
  }

  /** The milliseconds since it was opened. */
  long time() {
    return TimeUnit.NANOSECONDS.toMillis(clocks.bootNanos() - openedNanos);
  }

  boolean isTimely(Signed signed) {
    return Math.abs(signed.time() - time()) <= Replays.WINDOW.toMillis();
  }

  Sessions sessions() {
    return sessions;
  }

  /**
   * Ends all sessions and links of a user; the connection that asked for it still gets its answer.
   */
  void end(int uid, EndPoint asking) {
    synchronized (links) {
      links.drop(uid);
    }
    sessions.endAll(uid, asking);
    changed.run();
  }

  /** Turns a link into a session. */
  Sessions.Begun begin(String token, String origin) {
    Visitor visitor;
    synchronized (links) {
      visitor = links.redeem(token, clocks.bootNanos());
    }
    if (visitor == null) {
      throw new ApiProblem(
          401, "this link was used before, or is too old: run kron dashboard again");
    }
    Sessions.Begun begun = sessions.begin(visitor, origin);
    changed.run();
    return begun;
  }
}
