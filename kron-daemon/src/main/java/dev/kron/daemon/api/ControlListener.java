package dev.kron.daemon.api;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SelectorManager;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.IO;
import org.jspecify.annotations.Nullable;

/**
 * One address of the API. A connection gets a slot or is refused; it never waits for one in a queue
 * that others need. Every two seconds requests that do not end are cut off, and if the address is
 * not served any more, it listens again.
 */
abstract class ControlListener extends AbstractConnector {
  private static final long LEAST_LOOK_MILLIS = 50;
  private static final long MOST_LOOK_MILLIS = 2_000;

  /** The most connections that wait to be accepted. */
  static final int BACKLOG = 128;

  private static final long BREATH_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int LEFTOVER_BYTES = 8 * 1024;

  private final Places places;
  private final ListenerLog log;
  private final long requestNanos;
  private final long lookMillis;
  private @Nullable SelectorManager selectors;
  private volatile @Nullable ServerSocketChannel channel;
  private volatile @Nullable Thread acceptor;
  private boolean shut;

  /**
   * @param requestMillis the time for a whole request to come
   */
  ControlListener(
      Server server,
      Places places,
      long requestMillis,
      ListenerLog log,
      ConnectionFactory factory) {
    super(server, null, null, null, 0, factory);
    this.places = places;
    this.log = log;
    this.requestNanos = TimeUnit.MILLISECONDS.toNanos(requestMillis);
    this.lookMillis = Math.clamp(requestMillis / 4, LEAST_LOOK_MILLIS, MOST_LOOK_MILLIS);
    setName(log.listener());
    setIdleTimeout(requestMillis);
  }

  /** Begins to listen at its address. */
  abstract ServerSocketChannel bind() throws IOException;

  /** Whether a client that connects to the address reaches this listener. */
  abstract boolean isInPlace();

  /** Gives up its address. */
  abstract void leave() throws IOException;

  /** The user at the other end, or one name for all unknown ones. */
  abstract String user(SocketChannel peer) throws IOException;

  /** The request is complete; from now on the answer takes the time. */
  static void answering(Request request) {
    if (request.getConnectionMetaData().getConnector() instanceof ControlListener listener
        && channel(request) instanceof SocketChannel peer) {
      listener.places.answering(peer);
    }
  }

  /** The request is answered. */
  static void answered(Request request) {
    if (request.getConnectionMetaData().getConnector() instanceof ControlListener listener
        && channel(request) instanceof SocketChannel peer) {
      listener.places.answered(peer, System.nanoTime());
    }
  }

  private static Object channel(Request request) {
    return request.getConnectionMetaData().getConnection().getEndPoint().getTransport();
  }

  /** Listens; nothing is accepted before the server is started. */
  final void open() throws IOException {
    channel = bind();
  }

  /** Stops listening, and gives up its address. */
  final synchronized void shut() throws IOException {
    shut = true;
    IO.close(channel);
    leave();
  }

  @Override
  public @Nullable Object getTransport() {
    return channel;
  }

  @Override
  protected void doStart() throws Exception {
    var made = new Selectors();
    selectors = made;
    addBean(made, true);
    super.doStart();
    beginToAccept();
    getScheduler().schedule(this::look, lookMillis, TimeUnit.MILLISECONDS);
  }

  @Override
  protected void doStop() throws Exception {
    shut();
    super.doStop();
  }

  @Override
  protected void accept(int acceptor) {
    throw new IllegalStateException("it has a thread of its own for that");
  }

  private void beginToAccept() {
    ServerSocketChannel listening = channel;
    SelectorManager chosen = selectors;
    if (listening != null && chosen != null) {
      acceptor =
          Thread.ofPlatform()
              .daemon()
              .name("krond-door-" + getName())
              .start(() -> accept(listening, chosen));
    }
  }

  /** Accepts connections until the channel is closed; after any other error it goes on. */
  private void accept(ServerSocketChannel listening, SelectorManager chosen) {
    while (listening.isOpen()) {
      try {
        SocketChannel peer = listening.accept();
        log.works();
        admit(peer, chosen);
      } catch (ClosedChannelException e) {
        return;
      } catch (IOException | RuntimeException e) {
        failed("connections cannot be accepted: " + e.getMessage());
        LockSupport.parkNanos(BREATH_NANOS);
      }
    }
  }

  private void admit(SocketChannel peer, SelectorManager chosen) {
    try {
      String reason = places.take(peer, user(peer), System.nanoTime());
      peer.configureBlocking(false);
      if (reason == null) {
        chosen.accept(peer);
      } else {
        refuse(peer, reason);
      }
    } catch (IOException e) {
      IO.close(peer); // gone already
      places.release(peer);
    }
  }

  /** Answers a connection that gets no slot with the reason. */
  private static void refuse(SocketChannel peer, String reason) {
    try (peer) {
      var body = new ByteArrayOutputStream();
      new ApiProblem(503, reason).write(body::write);
      String head =
          "HTTP/1.1 503 Service Unavailable\r\nContent-Type: %s\r\nContent-Length: %s\r\nConnection: close\r\n\r\n"
              .formatted(ApiProblem.TYPE, body.size());
      peer.write(ByteBuffer.wrap(head.getBytes(StandardCharsets.US_ASCII)));
      peer.write(ByteBuffer.wrap(body.toByteArray()));
      peer.shutdownOutput();
      // Unread bytes would make the other side see a reset in place of the answer.
      peer.read(ByteBuffer.allocate(LEFTOVER_BYTES));
    } catch (IOException e) {
      // They have gone.
    }
  }

  private void look() {
    try {
      cutOff();
      log.refused(places);
      if (!(listens() && isInPlace())) {
        restore();
      }
    } catch (IOException | RuntimeException e) {
      failed(String.valueOf(e.getMessage()));
    } finally {
      if (isRunning()) {
        getScheduler().schedule(this::look, lookMillis, TimeUnit.MILLISECONDS);
      }
    }
  }

  private boolean listens() {
    ServerSocketChannel listening = channel;
    Thread thread = acceptor;
    return listening != null && listening.isOpen() && thread != null && thread.isAlive();
  }

  private synchronized void restore() throws IOException {
    if (shut) {
      return;
    }
    String reason = listens() ? "its address was taken away" : "it had ended";
    IO.close(channel);
    leave();
    channel = bind();
    beginToAccept();
    log.restored(reason);
  }

  private void failed(String reason) {
    if (isRunning()) {
      log.failed(reason);
    }
  }

  /** Ends connections whose request takes too long, and drops those that never came up. */
  private void cutOff() {
    List<SelectableChannel> overdue = places.overdue(System.nanoTime(), requestNanos);
    if (overdue.isEmpty()) {
      return;
    }
    Set<SelectableChannel> closing = new HashSet<>(overdue);
    for (EndPoint endPoint : getConnectedEndPoints()) {
      if (endPoint.getTransport() instanceof SocketChannel peer && closing.remove(peer)) {
        endPoint.close(new TimeoutException("the request did not come to its end"));
      }
    }
    for (SelectableChannel stray : closing) {
      IO.close(stray);
      places.release(stray);
    }
  }

  private final class Selectors extends SelectorManager {
    Selectors() {
      super(ControlListener.this.getExecutor(), ControlListener.this.getScheduler(), 1);
    }

    @Override
    protected EndPoint newEndPoint(
        SelectableChannel peer, ManagedSelector selector, SelectionKey key) {
      var endPoint = new SocketChannelEndPoint((SocketChannel) peer, selector, key, getScheduler());
      endPoint.setIdleTimeout(getIdleTimeout());
      return endPoint;
    }

    @Override
    public Connection newConnection(
        SelectableChannel peer, EndPoint endPoint, @Nullable Object attachment) {
      return getDefaultConnectionFactory().newConnection(ControlListener.this, endPoint);
    }

    @Override
    protected void endPointOpened(EndPoint endPoint) {
      super.endPointOpened(endPoint);
      onEndPointOpened(endPoint);
    }

    @Override
    protected void endPointClosed(EndPoint endPoint) {
      onEndPointClosed(endPoint);
      super.endPointClosed(endPoint);
      if (endPoint.getTransport() instanceof SocketChannel peer) {
        places.release(peer);
      }
    }
  }
}
