package dev.kron.bench;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The machine's own Chromium without a window, driven by its DevTools protocol. */
final class Chromium implements AutoCloseable {
  private static final List<String> PLACES =
      List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
  private static final int PATIENCE_SECONDS = 120;

  private final Process process;
  private final WebSocket socket;
  private final AtomicInteger ids = new AtomicInteger();
  private final Map<Integer, CompletableFuture<JsonObject>> waiting = new ConcurrentHashMap<>();
  private final Map<String, Consumer<JsonObject>> listeners = new ConcurrentHashMap<>();

  private Chromium(Process process, URI address) {
    this.process = process;
    this.socket =
        HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(address, new Messages()).join();
  }

  /** Whether there is one. */
  static boolean isInstalled() {
    return program() != null;
  }

  private static @Nullable Path program() {
    return PLACES.stream().map(Path::of).filter(Files::isExecutable).findFirst().orElse(null);
  }

  /** Starts it with a profile of its own. */
  static Chromium start(Path profile) throws IOException, InterruptedException {
    Path program = program();
    Process process =
        new ProcessBuilder(
                String.valueOf(program),
                "--headless=new",
                "--no-sandbox",
                "--no-first-run",
                "--disable-background-networking",
                "--window-size=1400,900",
                "--remote-debugging-port=0",
                "--user-data-dir=" + profile,
                "about:blank")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Path told = profile.resolve("DevToolsActivePort");
    for (int i = 0; i < PATIENCE_SECONDS * 10; i++) {
      if (Files.exists(told) && Files.readAllLines(told).size() > 1) {
        List<String> lines = Files.readAllLines(told);
        return new Chromium(process, URI.create("ws://127.0.0.1:" + lines.get(0) + lines.get(1)));
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
    process.destroyForcibly();
    throw new IOException(program + " does not tell where its DevTools are");
  }

  /** Texts come in pieces; each is an answer or an event. */
  private final class Messages implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        JsonObject message = JsonParser.parseString(text.toString()).getAsJsonObject();
        text.setLength(0);
        take(message);
      }
      from.request(1);
      return null;
    }
  }

  private void take(JsonObject message) {
    JsonElement id = message.get("id");
    if (id == null) {
      Consumer<JsonObject> listener = listeners.get(message.get("method").getAsString());
      if (listener != null) {
        listener.accept(message.getAsJsonObject("params"));
      }
      return;
    }
    CompletableFuture<JsonObject> asked = waiting.remove(id.getAsInt());
    if (asked != null && message.has("error")) {
      asked.completeExceptionally(new IOException(message.get("error").toString()));
    } else if (asked != null) {
      asked.complete(message.getAsJsonObject("result"));
    }
  }

  /** From now on events of this name are told, from a thread of the connection. */
  void listen(String event, Consumer<JsonObject> listener) {
    listeners.put(event, listener);
  }

  /**
   * Asks for something, and waits for it.
   *
   * @param session of a page or a worker, null: of the browser itself
   */
  JsonObject call(@Nullable String session, String method, JsonObject parameters)
      throws IOException, InterruptedException {
    int id = ids.incrementAndGet();
    var message = new JsonObject();
    message.addProperty("id", id);
    message.addProperty("method", method);
    message.add("params", parameters);
    if (session != null) {
      message.addProperty("sessionId", session);
    }
    var answer = new CompletableFuture<JsonObject>();
    waiting.put(id, answer);
    socket.sendText(message.toString(), true).join();
    try {
      return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException(method + ": " + e.getMessage(), e);
    }
  }

  /** Parameters: names and values in turns. */
  static JsonObject with(Object... pairs) {
    var parameters = new JsonObject();
    for (int i = 0; i < pairs.length; i += 2) {
      String name = (String) pairs[i];
      switch (pairs[i + 1]) {
        case Number number -> parameters.addProperty(name, number);
        case Boolean truth -> parameters.addProperty(name, truth);
        default -> parameters.addProperty(name, pairs[i + 1].toString());
      }
    }
    return parameters;
  }

  /** A page with storage of its own; its session. */
  String page() throws IOException, InterruptedException {
    String context =
        call(null, "Target.createBrowserContext", with()).get("browserContextId").getAsString();
    String target =
        call(null, "Target.createTarget", with("url", "about:blank", "browserContextId", context))
            .get("targetId")
            .getAsString();
    return attach(target);
  }

  String attach(String target) throws IOException, InterruptedException {
    return call(null, "Target.attachToTarget", with("targetId", target, "flatten", true))
        .get("sessionId")
        .getAsString();
  }

  /** What an expression of a page comes to, waited for where it is a promise. */
  JsonElement evaluate(String session, String expression) throws IOException, InterruptedException {
    JsonObject result =
        call(
            session,
            "Runtime.evaluate",
            with("expression", expression, "awaitPromise", true, "returnByValue", true));
    if (result.has("exceptionDetails")) {
      throw new IOException(expression + ": " + result.get("exceptionDetails"));
    }
    JsonElement value = result.getAsJsonObject("result").get("value");
    return value == null ? new JsonObject() : value;
  }

  /** Waits until an expression is true. */
  void await(String session, String expression) throws IOException, InterruptedException {
    evaluate(
        session,
        """
        new Promise((resolve, reject) => {
          const begin = performance.now();
          const look = () => (%s) ? resolve(true)
              : performance.now() - begin > %d ? reject(new Error('not within %d s')) : setTimeout(look, 20);
          look();
        })
        """
            .formatted(expression, 100_000, 100));
  }

  @Override
  public void close() {
    socket.abort();
    process.destroy();
    process.onExit().join();
  }
}
