package dev.kron.daemon.web;

import dev.kron.daemon.api.Authority;
import dev.kron.daemon.api.Dashboard.SessionView;
import dev.kron.daemon.api.Visitor;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.web.SessionFile.KeptSession;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.eclipse.jetty.io.EndPoint;
import org.jspecify.annotations.Nullable;

/** All sessions. Every method may be called from any thread. */
final class Sessions {
  /** The most sessions of one user; a further one ends the least recently used. */
  static final int OF_ONE = 16;

  private static final int ID_BYTES = 12;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /**
   * The tolerance for sessions that began in the future; later ones cannot have begun by this
   * clock.
   */
  private static final long AHEAD_SECONDS = 300;

  private final Clocks clocks;
  private final IntFunction<Visitor> users;
  private final Map<String, Session> sessions = new LinkedHashMap<>();
  private boolean ended;

  /**
   * An empty set.
   *
   * @param users looks up a user's present rights
   */
  Sessions(Clocks clocks, IntFunction<Visitor> users) {
    this.clocks = clocks;
    this.users = users;
  }

  /** The secret that a browser is told once and keeps. */
  record Begun(String id, String key) {}

  /** Begins a session. */
  synchronized Begun begin(Visitor visitor, String origin) {
    long now = clocks.bootNanos();
    List<Session> own =
        new ArrayList<>(
            sessions.values().stream().filter(it -> it.visitor().uid() == visitor.uid()).toList());
    if (own.size() >= OF_ONE) {
      own.sort(Comparator.comparingLong(it -> it.times().usedNanos() - now));
      end(own.getFirst());
    }
    var begun =
        new Begun(RandomSecrets.word(ID_BYTES), RandomSecrets.word(RandomSecrets.KEY_BYTES));
    sessions.put(
        begun.id,
        new Session(
            begun.id, RandomSecrets.hash(begun.key), origin, visitor, new Session.Times(now, now)));
    return begun;
  }

  /** Takes over the sessions that an earlier daemon stored. */
  synchronized void takeUp(List<KeptSession> kept) {
    long nowSecond = Math.floorDiv(clocks.wallMillis(), 1000L);
    long now = clocks.bootNanos();
    for (KeptSession one : kept) {
      if (one.began() > nowSecond + AHEAD_SECONDS || one.used() < one.began()) {
        continue; // a clock was set in between: how old it is cannot be told
      }
      var times =
          new Session.Times(
              now - Math.max(0, nowSecond - one.began()) * SECOND,
              now - Math.max(0, nowSecond - one.used()) * SECOND);
      var session =
          new Session(one.id(), one.keyBytes(), one.origin(), users.apply(one.uid()), times);
      if (!session.isOver(now) && session.visitor().authority() != Authority.NOTHING) {
        sessions.put(one.id(), session);
      }
    }
  }

  /** The sessions as they are stored. */
  synchronized List<KeptSession> kept() {
    long nowSecond = Math.floorDiv(clocks.wallMillis(), 1000L);
    long now = clocks.bootNanos();
    return sessions.values().stream()
        .map(
            it ->
                new KeptSession(
                    it.id,
                    it.visitor().uid(),
                    nowSecond - (now - it.times().beganNanos()) / SECOND,
                    nowSecond - (now - it.times().usedNanos()) / SECOND,
                    it.origin,
                    HexFormat.of().formatHex(it.key())))
        .toList();
  }

  /**
   * The session that signed a request, which is in use from now on; null if none did.
   *
   * @param text the signed text, given the origin of the session
   */
  synchronized @Nullable Session signedBy(Signed signed, Signed.Text text) {
    Session session = sessions.get(signed.session());
    if (session == null || !session.isSigned(text.of(session.origin), signed.signature())) {
      return null;
    }
    return session;
  }

  synchronized @Nullable Session named(String id) {
    return sessions.get(id);
  }

  /**
   * The reason why a session's request is refused; null if it is answered, and the session is in
   * use.
   */
  synchronized @Nullable String admit(Session session, Signed signed) {
    long now = clocks.bootNanos();
    if (!session.replays.use(signed.client(), signed.number(), now)) {
      return "this request was answered before, or came too late";
    }
    lookUp(session, now);
    if (!sessions.containsKey(session.id)) {
      return "the session is over";
    }
    session.use(now);
    return null;
  }

  synchronized void begin(Session session, EndPoint connection) {
    session.begin(connection);
  }

  synchronized void end(Session session, EndPoint connection) {
    session.end(connection);
    session.use(clocks.bootNanos());
  }

  /**
   * Checks all sessions; an open stream counts as use. Returns whether one has ended since the last
   * check.
   */
  synchronized boolean tend() {
    long now = clocks.bootNanos();
    for (Session session : List.copyOf(sessions.values())) {
      if (session.isAnswering()) {
        session.use(now);
      }
      lookUp(session, now);
    }
    boolean any = ended;
    ended = false;
    return any;
  }

  /** Ends a session if its time is up, or its user has no rights any more. */
  private void lookUp(Session session, long now) {
    if (session.isDoubtful(now)) {
      Visitor known = users.apply(session.visitor().uid());
      boolean changed = known.authority() != session.visitor().authority();
      session.know(known, now);
      if (changed) {
        session.cutOff(null); // what is being answered was asked with other rights
      }
    }
    if (session.isOver(now) || session.visitor().authority() == Authority.NOTHING) {
      end(session);
    }
  }

  private void end(Session session) {
    drop(session, null);
  }

  private void drop(Session session, @Nullable EndPoint spared) {
    ended = true;
    sessions.remove(session.id);
    session.cutOff(spared);
  }

  /**
   * Ends all sessions of a user.
   *
   * @param spared a connection that still gets its answer; null for none
   * @return how many
   */
  synchronized int endAll(int uid, @Nullable EndPoint spared) {
    List<Session> own = sessions.values().stream().filter(it -> it.visitor().uid() == uid).toList();
    own.forEach(it -> drop(it, spared));
    return own.size();
  }

  /** The sessions of a user, oldest first. */
  synchronized List<SessionView> of(int uid) {
    long wallMillis = clocks.wallMillis();
    long now = clocks.bootNanos();
    return sessions.values().stream()
        .filter(it -> it.visitor().uid() == uid)
        .sorted(Comparator.comparingLong(it -> it.times().beganNanos() - now))
        .map(
            it ->
                new SessionView(
                    it.id,
                    it.origin,
                    wallMillis - TimeUnit.NANOSECONDS.toMillis(now - it.times().beganNanos()),
                    wallMillis - TimeUnit.NANOSECONDS.toMillis(now - it.times().usedNanos()),
                    it.isAnswering()))
        .toList();
  }

  /** Ends one of a user; whether there is such a one. */
  synchronized boolean end(int uid, String id) {
    Session session = sessions.get(id);
    if (session == null || session.visitor().uid() != uid) {
      return false;
    }
    end(session);
    return true;
  }

  /** Ends all. */
  synchronized void clear() {
    List.copyOf(sessions.values()).forEach(this::end);
  }

  synchronized boolean isEmpty() {
    return sessions.isEmpty();
  }
}
