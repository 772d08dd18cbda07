package dev.kron.daemon.api;

import dev.kron.process.Users;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * The guard of the API: it finds out who sends a request and what they may do. On the unix socket
 * the kernel names the user who connected. On TCP a token is needed, and the request must name this
 * host and come from no other web page, so that a browser cannot be misused.
 */
final class Doorkeeper implements Guard {
  private static final String KNOWN = Doorkeeper.class.getName();

  private final Users users;
  private final int self;
  private final @Nullable String readers;
  private final @Nullable String operators;
  private final byte @Nullable [] token;

  /**
   * @param readers a group that may read, or null
   * @param operators a group that may operate, or null
   * @param token what a request by TCP has to bring; null: there is no TCP
   */
  Doorkeeper(
      Users users, @Nullable String readers, @Nullable String operators, byte @Nullable [] token) {
    this.users = users;
    this.self = users.self().uid();
    this.readers = readers;
    this.operators = operators;
    this.token = token == null ? null : token.clone();
  }

  @Override
  public Visitor visitor(Request request) {
    Object transport = request.getConnectionMetaData().getConnection().getEndPoint().getTransport();
    if (transport instanceof SocketChannel channel
        && request.getConnectionMetaData().getConnector() instanceof ControlSocket) {
      // The peer of a connection never changes, so groups are looked up once for each connection.
      if (request.getConnectionMetaData().getAttribute(KNOWN) instanceof Visitor known) {
        return known;
      }
      Visitor visitor = peer(channel);
      request.getConnectionMetaData().setAttribute(KNOWN, visitor);
      return visitor;
    }
    return bearer(request);
  }

  private Visitor peer(SocketChannel channel) {
    UnixDomainPrincipal peer;
    try {
      peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
    } catch (IOException e) {
      return new Visitor("unknown", Visitor.NOBODY, Authority.NOTHING);
    }
    return named(peer.user().getName());
  }

  /** A user of this machine with their present rights. */
  Visitor known(int uid) {
    return named(Integer.toUnsignedString(uid));
  }

  private Visitor named(String name) {
    Optional<Users.Account> account = users.user(name);
    if (account.isEmpty()) {
      // A user id without a name, as in many containers; the daemon's own may be such a one.
      boolean itself = name.equals(Integer.toString(self));
      return new Visitor(
          name, itself ? self : Visitor.NOBODY, itself ? Authority.ALL : Authority.NOTHING);
    }
    Users.Account user = account.get();
    return new Visitor(user.name(), user.uid(), authority(user));
  }

  Authority authority(Users.Account account) {
    if (account.uid() == 0 || account.uid() == self) {
      return Authority.ALL;
    }
    if (readers == null && operators == null) {
      return Authority.NOTHING;
    }
    List<Integer> groups = users.groups(account, account.gid());
    if (isIn(groups, operators)) {
      return Authority.OPERATE;
    }
    return isIn(groups, readers) ? Authority.READ : Authority.NOTHING;
  }

  private boolean isIn(List<Integer> groups, @Nullable String group) {
    return group != null && users.group(group).filter(groups::contains).isPresent();
  }

  private Visitor bearer(Request request) {
    requireThisHost(request);
    String given = request.getHeaders().get(HttpHeader.AUTHORIZATION);
    byte[] wanted = token;
    if (given == null || wanted == null || !given.regionMatches(true, 0, "Bearer ", 0, 7)) {
      throw new ApiProblem(401, "send the token of the daemon: Authorization: Bearer …");
    }
    byte[] word = given.substring(7).strip().getBytes(StandardCharsets.UTF_8);
    if (!MessageDigest.isEqual(word, wanted)) {
      throw new ApiProblem(401, "this is not the token of the daemon");
    }
    return new Visitor("token", Visitor.NOBODY, Authority.ALL);
  }

  private static void requireThisHost(Request request) {
    List<String> hosts = request.getHeaders().getValuesList(HttpHeader.HOST);
    String host = hosts.size() == 1 ? hosts.getFirst().toLowerCase(Locale.ROOT) : "";
    int port = Request.getLocalPort(request);
    boolean known =
        host.equals("127.0.0.1:" + port)
            || host.equals("localhost:" + port)
            || host.equals("[::1]:" + port);
    if (!known) {
      throw new ApiProblem(
          421, "this server is called 127.0.0.1:" + port + " or localhost:" + port);
    }
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    if (origin != null && !origin.toLowerCase(Locale.ROOT).equals("http://" + host)) {
      throw new ApiProblem(403, "requests from pages of other hosts are not answered: " + origin);
    }
  }
}
