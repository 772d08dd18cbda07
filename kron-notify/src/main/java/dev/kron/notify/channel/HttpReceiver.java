package dev.kron.notify.channel;

import dev.kron.text.VisibleText;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Receivers behind HTTP. Ten seconds for an answer, of which little more than the status is read;
 * redirects are not followed, so that no secret goes where nobody sent it; certificates are
 * checked.
 */
final class HttpReceiver {
  private static final int READ_BYTES = 300;
  private static final long READ_MILLIS = 1_000;

  private final HttpClient client;
  private final Duration patience;

  /**
   * @param patience how long an answer may take
   */
  HttpReceiver(@Nullable SSLContext trust, Duration patience) {
    this.patience = patience;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .executor(task -> Thread.ofVirtual().start(task))
            .connectTimeout(patience);
    this.client = (trust == null ? builder : builder.sslContext(trust)).build();
  }

  /** The headers beside the ordinary ones. */
  static final class Headers {
    private final Map<String, String> values = new LinkedHashMap<>();

    Headers with(String name, @Nullable String value) {
      if (value != null) {
        values.put(name, value);
      }
      return this;
    }

    Headers bearer(@Nullable String token) {
      return with("Authorization", token == null ? null : "Bearer " + token);
    }

    /** The user and password of an address, which the client would not send. */
    Headers ofAddress(URI address) {
      String user = address.getUserInfo();
      return user == null || values.containsKey("Authorization")
          ? this
          : with(
              "Authorization",
              "Basic " + Base64.getEncoder().encodeToString(user.getBytes(StandardCharsets.UTF_8)));
    }
  }

  Delivery post(Secrets secrets, String url, String body, Headers headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder()
            .header("Content-Type", "application/json; charset=utf-8")
            .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8));
    return send(secrets, uri(url), request, headers);
  }

  Delivery get(Secrets secrets, String url) {
    return send(secrets, uri(url), HttpRequest.newBuilder().GET(), new Headers());
  }

  private static URI uri(String url) {
    URI uri;
    try {
      uri = new URI(url);
    } catch (java.net.URISyntaxException e) {
      throw new IllegalArgumentException("URL is no address"); // its message would show it
    }
    boolean web = "https".equals(uri.getScheme()) || "http".equals(uri.getScheme());
    if (!web || uri.getHost() == null) {
      throw new IllegalArgumentException("URL is no address: expected https://HOST/…");
    }
    return uri;
  }

  private Delivery send(
      Secrets secrets, URI address, HttpRequest.Builder builder, Headers headers) {
    headers.ofAddress(address).values.forEach(builder::header);
    HttpRequest request =
        builder.uri(address).header("User-Agent", "kron").timeout(patience).build();
    String host = address.getHost();
    CompletableFuture<HttpResponse<InputStream>> coming =
        client.sendAsync(request, HttpResponse.BodyHandlers.ofInputStream());
    try {
      // A little more than the client's own limit, which does not count all that it does.
      HttpResponse<InputStream> answer =
          coming.get(patience.toMillis() + READ_MILLIS, TimeUnit.MILLISECONDS);
      try (InputStream body = answer.body()) {
        return judge(answer.statusCode(), host, secrets, body);
      }
    } catch (ExecutionException e) {
      return new Delivery.Unreachable(secrets.scrub(reason(host, e.getCause())));
    } catch (TimeoutException e) {
      return new Delivery.Unreachable(host + " did not answer in time");
    } catch (IOException e) {
      return new Delivery.Unreachable(host + " broke off its answer");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Delivery.Unreachable("the daemon is stopping");
    } finally {
      coming.cancel(true);
    }
  }

  private static Delivery judge(int status, String host, Secrets secrets, InputStream body) {
    if (status >= 200 && status < 300) {
      return new Delivery.Delivered();
    }
    String answered = host + " answered " + status;
    if (status >= 300 && status < 400) {
      return new Delivery.Refused(answered + ": redirects are not followed, give the new URL");
    }
    String said = secrets.scrub(beginning(body));
    String reason = said.isEmpty() ? answered : answered + ": " + said;
    return status >= 500 || status == 408 || status == 425 || status == 429
        ? new Delivery.Unreachable(reason)
        : new Delivery.Refused(reason);
  }

  /** The first line of what it says, if it says it at once. */
  private static String beginning(InputStream body) {
    var read = new CompletableFuture<byte[]>();
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                read.complete(body.readNBytes(READ_BYTES));
              } catch (IOException e) {
                read.complete(new byte[0]);
              }
            });
    byte[] bytes = read.completeOnTimeout(new byte[0], READ_MILLIS, TimeUnit.MILLISECONDS).join();
    return new String(bytes, StandardCharsets.UTF_8)
        .lines()
        .findFirst()
        .map(VisibleText::of)
        .orElse("");
  }

  private static String reason(String host, @Nullable Throwable thrown) {
    return switch (thrown) {
      case HttpConnectTimeoutException _ -> "no connection to " + host + " in time";
      case HttpTimeoutException _ -> host + " did not answer in time";
      case SSLException e -> "no trusted connection to " + host + ": " + text(e);
      case ConnectException e
          when e.getCause() instanceof java.nio.channels.UnresolvedAddressException ->
          "no address is known of " + host;
      case UnknownHostException _ -> "no address is known of " + host;
      case ConnectException _ -> "no connection to " + host;
      case null -> host + " did not answer";
      default -> host + " did not answer as HTTP does: " + text(thrown);
    };
  }

  private static String text(Throwable thrown) {
    return VisibleText.of(String.valueOf(thrown.getMessage()));
  }
}
