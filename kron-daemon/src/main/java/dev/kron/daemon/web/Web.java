package dev.kron.daemon.web;

import dev.kron.daemon.api.ControlServer;
import dev.kron.daemon.api.Dashboard;
import dev.kron.daemon.api.LoopbackServer;
import dev.kron.daemon.api.Visitor;
import dev.kron.daemon.log.Reports;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.web.SessionFile.Kept;
import dev.kron.daemon.web.SessionFile.KeptSession;
import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The dashboard of a daemon. It listens while there is a session or a link, and for a while after
 * that, or always if it was given a port. Its failures do not affect jobs and services. Every
 * method may be called from any thread.
 */
public final class Web implements Dashboard, AutoCloseable {
  private static final String COMPONENT = "dashboard";
  private static final Duration LINGERS = Duration.ofMinutes(10);
  private static final Duration KEPT_EVERY = Duration.ofMinutes(5);
  private static final int LEAST_PORT = 20_000;
  private static final int MOST_PORT = 32_767;
  private static final int TRIES = 8;
  private static final long LOOK_MILLIS = 1_000;
  private static final long PATIENCE_MILLIS = 15_000;

  private final WebSettings settings;
  private final ControlServer control;
  private final Clocks clocks;
  private final Reports reports;
  private final SessionFile file;
  private final LoginLinks links = new LoginLinks();
  private final Sessions sessions;
  private @Nullable LoopbackServer server;
  private @Nullable Thread watch;
  private boolean closed;
  private boolean toldOfPort;
  private boolean toldOfFile;
  private long neededNanos;
  private long keptNanos;

  /** The parts of the daemon that it needs. */
  public record Means(
      ControlServer control, Clocks clocks, Path state, Disk disk, Reports reports) {}

  public Web(WebSettings settings, Means means) {
    this.settings = settings;
    this.control = means.control;
    this.clocks = means.clocks;
    this.reports = means.reports;
    this.file = new SessionFile(means.state, means.disk);
    this.sessions = new Sessions(clocks, control::known);
  }

  /** Continues where an earlier daemon was, beside the daemon's start. */
  public void begin() {
    if (settings.port() != WebSettings.ON_DEMAND || file.exists()) {
      Thread.ofVirtual().name("krond-dashboard-begin").start(this::goOn);
    }
  }

  private synchronized void goOn() {
    Kept kept = Kept.NOTHING;
    try {
      kept = file.read();
    } catch (DiskException e) {
      notKept(e);
    }
    int port = settings.port() == WebSettings.ON_DEMAND ? kept.port() : settings.port();
    List<String> origins = Reception.origins(port, settings.origins());
    List<KeptSession> here =
        kept.sessions().stream().filter(it -> origins.contains(it.origin())).toList();
    sessions.takeUp(here);
    boolean needed = settings.port() != WebSettings.ON_DEMAND || !sessions.isEmpty();
    if (needed && !closed) {
      try {
        open(port);
      } catch (IOException e) {
        // The program that has the port now may have served those pages: none of them is trusted
        // any more.
        sessions.clear();
        portTaken(e);
        if (settings.port() != WebSettings.ON_DEMAND) {
          watch();
        }
      }
    }
    keep();
  }

  @Override
  public synchronized Link link(Visitor visitor) throws IOException {
    if (closed) {
      throw new IOException("the daemon is stopping");
    }
    LoopbackServer present = server == null ? open(settings.port()) : server;
    String token;
    synchronized (links) {
      token = links.give(visitor, clocks.bootNanos());
    }
    neededNanos = clocks.bootNanos();
    List<String> addresses =
        Reception.origins(present.port(), settings.origins()).stream()
            .map(origin -> origin + "/#link=" + token)
            .toList();
    return new Link(addresses, (int) LoginLinks.HOLD.toSeconds());
  }

  @Override
  public synchronized int end(Visitor visitor) {
    synchronized (links) {
      links.drop(visitor.uid());
    }
    int ended = sessions.endAll(visitor.uid(), null);
    if (ended > 0) {
      keep();
    }
    return ended;
  }

  @Override
  public List<SessionView> sessions(Visitor visitor) {
    return sessions.of(visitor.uid());
  }

  @Override
  public synchronized boolean end(Visitor visitor, String session) {
    boolean ended = sessions.end(visitor.uid(), session);
    if (ended) {
      keep();
    }
    return ended;
  }

  private LoopbackServer open(int port) throws IOException {
    var reception = new Reception(clocks, sessions, links, this::began);
    var manners =
        new LoopbackServer.Manners(
            COMPONENT,
            PATIENCE_MILLIS,
            (event, pairs) -> reports.log().warn(COMPONENT, event, pairs),
            reports.meters().faults);
    var handler = new WebHandler(reception, control::operations);
    // Before anything is answered: a page that waits for the daemon asks at the first moment.
    IntConsumer bound = at -> reception.open(Reception.origins(at, settings.origins()));
    LoopbackServer opened =
        port == WebSettings.ON_DEMAND
            ? openAnywhere(handler, manners, bound)
            : LoopbackServer.open(port, handler, manners, bound);
    server = opened;
    toldOfPort = false;
    neededNanos = clocks.bootNanos();
    reports.log().info(COMPONENT, "listening", "port", opened.port());
    watch();
    return opened;
  }

  /**
   * Opens a random port below the range that systems assign to connections; a connection could
   * occupy one of those when the next daemon wants it back.
   */
  private static LoopbackServer openAnywhere(
      WebHandler handler, LoopbackServer.Manners manners, IntConsumer bound) throws IOException {
    for (int tries = 0; tries < TRIES; tries++) {
      try {
        int port = RandomSecrets.number(LEAST_PORT, MOST_PORT);
        return LoopbackServer.open(port, handler, manners, bound);
      } catch (IOException e) {
        // The port is taken.
      }
    }
    return LoopbackServer.open(0, handler, manners, bound);
  }

  private synchronized void began() {
    neededNanos = clocks.bootNanos();
    keep();
  }

  private void watch() {
    if (watch == null && !closed) {
      watch = Thread.ofVirtual().name("krond-dashboard").start(this::lookAfter);
    }
  }

  private void lookAfter() {
    try {
      while (look()) {
        Thread.sleep(LOOK_MILLIS);
      }
    } catch (InterruptedException e) {
      // The daemon is shutting down.
    }
  }

  /** Whether there is something to look after. */
  private synchronized boolean look() {
    long now = clocks.bootNanos();
    if (server == null) {
      try {
        open(settings.port());
      } catch (IOException e) {
        portTaken(e);
      }
      return true;
    }
    boolean ended = sessions.tend();
    boolean linked;
    synchronized (links) {
      linked = !links.isEmpty(now);
    }
    if (linked || ended || !sessions.isEmpty()) {
      neededNanos = now;
    }
    if (ended || now - keptNanos > KEPT_EVERY.toNanos()) {
      keep();
    }
    boolean always = settings.port() != WebSettings.ON_DEMAND;
    if (closed || (!always && now - neededNanos > LINGERS.toNanos())) {
      server.close();
      server = null;
      watch = null;
      reports.log().info(COMPONENT, "closed");
      return false;
    }
    return true;
  }

  private void portTaken(IOException e) {
    if (!toldOfPort) {
      toldOfPort = true;
      reports.log().warn(COMPONENT, "port_taken", "reason", e.getMessage());
    }
  }

  /** Stores the sessions; without any there is no file. */
  private void keep() {
    keptNanos = clocks.bootNanos();
    try {
      LoopbackServer present = server;
      if (present == null || sessions.isEmpty()) {
        file.remove();
      } else {
        file.write(new Kept(present.port(), sessions.kept()));
      }
      toldOfFile = false;
    } catch (DiskException e) {
      notKept(e);
    }
  }

  private void notKept(DiskException e) {
    if (!toldOfFile) {
      toldOfFile = true;
      reports.log().warn(COMPONENT, "sessions_not_kept", "reason", e.getMessage());
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (watch != null) {
      watch.interrupt();
    }
    if (server != null) {
      keep();
      server.close();
      server = null;
    }
  }
}
