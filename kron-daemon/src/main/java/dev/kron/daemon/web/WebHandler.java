package dev.kron.daemon.web;

import dev.kron.daemon.api.ApiProblem;
import dev.kron.daemon.api.Guard;
import dev.kron.json.JsonWriter;
import dev.kron.web.Assets;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The handler of the dashboard's port: the page's files for everybody, a session for a link, the
 * API for requests that a session signed. Anybody on this machine can connect, and any page in a
 * browser can send requests here, so only signatures are trusted.
 */
final class WebHandler extends Handler.Abstract {
  private static final String SESSION_PATH = "/session";
  private static final String API = "/v1/";
  private static final String SESSION = WebHandler.class.getName();
  private static final int LONGEST_TOKEN = 128;

  /** The header with which a refused request may be signed again and sent once more. */
  private static final String CHALLENGE = "Kron-Challenge";

  private static final String POLICY =
      String.join(
          "; ",
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "img-src 'self'",
          "connect-src 'self'",
          "worker-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
          "require-trusted-types-for 'script'",
          "trusted-types lit-html kron");

  private final Reception reception;
  private final Handler operations;

  /**
   * A handler.
   *
   * @param operations the API, given a guard that tells whose a request is
   */
  WebHandler(Reception reception, Function<Guard, Handler> operations) {
    this.reception = reception;
    this.operations =
        operations.apply(
            request -> {
              if (request.getAttribute(SESSION) instanceof Session session) {
                return session.visitor();
              }
              throw new ApiProblem(401, "nobody has signed this");
            });
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    protect(response);
    try {
      requireHost(request);
      String path = String.valueOf(request.getHttpURI().getCanonicalPath());
      if (path.startsWith(API)) {
        return operate(request, response, callback);
      }
      if (path.equals(SESSION_PATH)) {
        session(request, response);
      } else {
        asset(path, request, response);
      }
      callback.succeeded();
    } catch (ApiProblem problem) {
      refuse(problem, response);
      callback.succeeded();
    } catch (IOException e) {
      callback.failed(e); // the other side went away, or did not read for too long
    }
    return true;
  }

  private static void protect(Response response) {
    HttpFields.Mutable headers = response.getHeaders();
    headers.put("Content-Security-Policy", POLICY);
    headers.put("X-Content-Type-Options", "nosniff");
    headers.put("X-Frame-Options", "DENY");
    headers.put("Referrer-Policy", "no-referrer");
    headers.put("Cross-Origin-Opener-Policy", "same-origin");
    headers.put("Cross-Origin-Resource-Policy", "same-origin");
    headers.put("Cross-Origin-Embedder-Policy", "require-corp");
    headers.put("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
  }

  /** Refuses a host name that is not ours, to which somebody else made a name resolve. */
  private void requireHost(Request request) {
    List<String> hosts = request.getHeaders().getValuesList(HttpHeader.HOST);
    String host = hosts.size() == 1 ? hosts.getFirst().toLowerCase(Locale.ROOT) : "";
    if (!reception.hosts().contains(host)) {
      throw new ApiProblem(
          421,
          "the dashboard is at "
              + String.join(", ", reception.origins())
              + "; another address is named with --web-origin when the daemon is started");
    }
  }

  private boolean operate(Request request, Response response, Callback callback) throws Exception {
    EndPoint connection = request.getConnectionMetaData().getConnection().getEndPoint();
    Session session = signer(request, response);
    request.setAttribute(SESSION, session);
    reception.sessions().begin(session, connection);
    try {
      return operations.handle(request, response, callback);
    } finally {
      reception.sessions().end(session, connection);
    }
  }

  private Session signer(Request request, Response response) {
    Signed signed = Signed.parse(request.getHeaders().get(HttpHeader.AUTHORIZATION));
    if (signed == null) {
      throw new ApiProblem(401, "this is for the dashboard: open it with kron dashboard");
    }
    Sessions sessions = reception.sessions();
    Signed.Text text =
        signed.text(reception.epoch(), request.getMethod(), request.getHttpURI().getPathQuery());
    Session session = sessions.signedBy(signed, text);
    if (session == null || !reception.isTimely(signed)) {
      if (sessions.named(signed.session()) != null) {
        response.getHeaders().put(CHALLENGE, reception.epoch() + "." + reception.time());
      }
      throw new ApiProblem(
          401, "no session has signed this lately: open the dashboard with kron dashboard");
    }
    requirePage(request, Set.of(session.origin));
    String refusal = sessions.admit(session, signed);
    if (refusal != null) {
      throw new ApiProblem(409, refusal);
    }
    return session;
  }

  /** Refuses requests of other pages; not every browser tells which page sends a request. */
  private static void requirePage(Request request, Set<String> origins) {
    String origin = request.getHeaders().get(HttpHeader.ORIGIN);
    String site = request.getHeaders().get("Sec-Fetch-Site");
    if ((origin != null && !origins.contains(origin.toLowerCase(Locale.ROOT)))
        || (site != null && !site.equals("same-origin"))) {
      throw new ApiProblem(403, "requests from other pages are not answered");
    }
  }

  /**
   * Handles sessions: GET returns what signatures begin with; POST turns a link into a session; a
   * signed DELETE ends all sessions of its user.
   */
  private void session(Request request, Response response) throws IOException {
    switch (request.getMethod()) {
      case "GET" ->
          json(
              response,
              json -> {
                json.member("epoch", reception.epoch());
                json.member("time", reception.time());
              });
      case "POST" -> {
        if (!request.getHeaders().contains(HttpHeader.ORIGIN)) {
          throw new ApiProblem(403, "only the dashboard's own page begins a session");
        }
        requirePage(request, reception.origins());
        String origin = request.getHeaders().get(HttpHeader.ORIGIN).toLowerCase(Locale.ROOT);
        Sessions.Begun begun = reception.begin(token(request), origin);
        json(
            response,
            json -> {
              json.member("session", begun.id());
              json.member("key", begun.key());
            });
      }
      case "DELETE" -> {
        Session session = signer(request, response);
        EndPoint connection = request.getConnectionMetaData().getConnection().getEndPoint();
        reception.end(session.visitor().uid(), connection);
        json(response, json -> json.member("message", "signed out"));
      }
      default -> throw new ApiProblem(405, "here only GET, POST, DELETE can be done");
    }
  }

  private static String token(Request request) throws IOException {
    if (request.getLength() <= 0 || request.getLength() > LONGEST_TOKEN) {
      throw new ApiProblem(413, "a token of 1 to " + LONGEST_TOKEN + " bytes, with its length");
    }
    return Content.Source.asString(request).strip();
  }

  /** A writer of an object's members. */
  private interface Members {
    void write(JsonWriter json) throws IOException;
  }

  private static void json(Response response, Members members) throws IOException {
    var body = new ByteArrayOutputStream();
    try (var json = new JsonWriter(body::write, JsonWriter.Layout.COMPACT)) {
      json.beginObject();
      members.write(json);
      json.endObject();
    }
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    send(response, "application/json", ByteBuffer.wrap(body.toByteArray()));
  }

  private static void asset(String path, Request request, Response response) throws IOException {
    Assets.Asset asset = Assets.find(path);
    if (asset == null) {
      throw new ApiProblem(404, "there is no such page");
    }
    if (!request.getMethod().equals("GET")) {
      throw new ApiProblem(405, "here only GET can be done");
    }
    HttpFields.Mutable headers = response.getHeaders();
    headers.put(
        HttpHeader.CACHE_CONTROL,
        asset.immutable() ? "public, max-age=31536000, immutable" : "no-store");
    headers.put(HttpHeader.VARY, "Accept-Encoding");
    ByteBuffer content = asset.gzip();
    if (request.getHeaders().contains(HttpHeader.ACCEPT_ENCODING, "gzip")) {
      headers.put(HttpHeader.CONTENT_ENCODING, "gzip");
    } else {
      byte[] bytes = new byte[content.remaining()];
      content.get(bytes);
      try (var in = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
        content = ByteBuffer.wrap(in.readAllBytes());
      }
    }
    send(response, asset.type(), content);
  }

  private static void refuse(ApiProblem problem, Response response) throws IOException {
    var body = new ByteArrayOutputStream();
    problem.write(body::write);
    response.setStatus(problem.status());
    response.getHeaders().put(HttpHeader.CONNECTION, "close");
    response.getHeaders().put(HttpHeader.CACHE_CONTROL, "no-store");
    send(response, ApiProblem.TYPE, ByteBuffer.wrap(body.toByteArray()));
  }

  private static void send(Response response, String type, ByteBuffer content) throws IOException {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, content.remaining());
    Content.Sink.write(response, true, content);
  }
}
