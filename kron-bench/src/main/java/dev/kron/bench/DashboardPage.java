package dev.kron.bench;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The dashboard in a browser: when it is usable, whether it scrolls, what it keeps. */
final class DashboardPage implements AutoCloseable {
  private static final int OPENINGS = 5;
  private static final double USABLE_MILLIS = 1_000;
  private static final double TASK_MILLIS = 50;
  private static final int TELLERS = 8;
  private static final double HEAP_MIB = 100;
  private static final String MARK = "kron-page";

  /** Notes when what Now shows was drawn, and counts the events that reach the page. */
  private static final String WATCH =
      """
      window.kronEvents = 0;
      window.kronGaps = 0;
      const Worker = window.SharedWorker;
      window.SharedWorker = class extends Worker {
        constructor(...rest) {
          super(...rest);
          this.port.addEventListener('message', ({data}) => {
            window.kronEvents += data.type === 'event' ? 1 : 0;
            window.kronGaps += data.type === 'gap' ? 1 : 0;
          });
        }
      };
      const observer = new MutationObserver(() => {
        if (document.querySelector('.health') && document.querySelector('[aria-labelledby=now-next] td')) {
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => { window.kronUsable = performance.now(); }));
        }
      });
      observer.observe(document, {childList: true, subtree: true});
      """;

  private final Chromium chromium;
  private final Path socket;
  private String session = "";

  DashboardPage(Path profile, Path socket) throws IOException, InterruptedException {
    this.chromium = Chromium.start(profile);
    this.socket = socket;
  }

  private String link() throws IOException {
    String answer = ClientsMeasurement.call(socket, "POST", "/v1/dashboard/links");
    int begin = answer.indexOf("http://127.0.0.1");
    return answer.substring(begin, answer.indexOf('"', begin));
  }

  /** Opens Now in a browser that has nothing of it yet; milliseconds from its first byte. */
  private double open() throws IOException, InterruptedException {
    session = chromium.page();
    chromium.call(session, "Page.enable", Chromium.with());
    chromium.call(session, "Page.addScriptToEvaluateOnNewDocument", Chromium.with("source", WATCH));
    chromium.call(session, "Page.navigate", Chromium.with("url", link()));
    chromium.await(session, "window.kronUsable !== undefined");
    return chromium
        .evaluate(
            session,
            "window.kronUsable - performance.getEntriesByType('navigation')[0].responseStart")
        .getAsDouble();
  }

  /** Whether Now is usable soon. */
  boolean opens() throws IOException, InterruptedException {
    double[] millis = new double[OPENINGS];
    for (int i = 0; i < OPENINGS; i++) {
      if (!session.isEmpty()) {
        chromium.call(session, "Page.close", Chromium.with());
      }
      millis[i] = open();
    }
    Arrays.sort(millis);
    boolean met = millis[OPENINGS / 2] <= USABLE_MILLIS;
    System.out.printf(
        "%nNow is usable %.0f ms after its first byte (median; %.0f to %.0f): %s%n",
        millis[OPENINGS / 2], millis[0], millis[OPENINGS - 1], met ? "met" : "MISSED");
    return met;
  }

  /** Whether long lists scroll without a task of the page's main thread that is too long. */
  boolean scrolls() throws IOException, InterruptedException {
    boolean met = true;
    for (String page : List.of("jobs", "timeline", "services", "events")) {
      chromium.evaluate(session, "location.hash = '#/" + page + "'");
      chromium.await(
          session,
          "document.querySelector('[data-rows] > *, .events .row') &&"
              + " !document.querySelector('kron-"
              + page
              + "').loading");
      TimeUnit.SECONDS.sleep(1); // what comes with the page itself is over
      Task longest = longestTask(this::scroll);
      boolean fluid = longest.wallMillis <= TASK_MILLIS;
      met &= fluid;
      System.out.printf(
          "%-9s scrolled: %,d tasks, the longest %.1f ms (at most %.1f ms of processor time): %s%n",
          page, longest.tasks, longest.wallMillis, longest.cpuMillis, fluid ? "met" : "MISSED");
    }
    return met;
  }

  private void scroll() throws IOException, InterruptedException {
    for (int distance : List.of(-20_000, -20_000, 15_000)) {
      chromium.call(
          session,
          "Input.synthesizeScrollGesture",
          Chromium.with("x", 700, "y", 600, "yDistance", distance, "speed", 8_000));
    }
  }

  /** The most that one of so many tasks took. */
  private record Task(double wallMillis, double cpuMillis, int tasks) {}

  /** Something that takes a while. */
  private interface Deed {
    void act() throws IOException, InterruptedException;
  }

  /** The longest task of the page's main thread meanwhile, by a trace. */
  private Task longestTask(Deed deed) throws IOException, InterruptedException {
    var done = new CountDownLatch(1);
    List<JsonObject> trace = new ArrayList<>();
    chromium.listen(
        "Tracing.dataCollected",
        data -> {
          synchronized (trace) {
            for (JsonElement one : data.getAsJsonArray("value")) {
              trace.add(one.getAsJsonObject());
            }
          }
        });
    chromium.listen("Tracing.tracingComplete", data -> done.countDown());
    var categories = new JsonArray();
    List.of("-*", "toplevel", "blink.user_timing", "disabled-by-default-devtools.timeline")
        .forEach(categories::add);
    var config = new JsonObject();
    config.add("includedCategories", categories);
    var parameters = new JsonObject();
    parameters.add("traceConfig", config);
    chromium.call(null, "Tracing.start", parameters);
    chromium.evaluate(session, "performance.mark('" + MARK + "')");
    deed.act();
    chromium.call(null, "Tracing.end", Chromium.with());
    if (!done.await(60, TimeUnit.SECONDS)) {
      throw new IOException("the trace does not end");
    }
    synchronized (trace) {
      return longest(trace);
    }
  }

  /** The thread that left the mark is the page's main one. */
  private static Task longest(List<JsonObject> trace) throws IOException {
    JsonObject mark =
        trace.stream()
            .filter(one -> one.get("name").getAsString().equals(MARK))
            .findFirst()
            .orElseThrow(() -> new IOException("the trace has nothing of the page"));
    double wall = 0;
    double cpu = 0;
    int tasks = 0;
    for (JsonObject one : trace) {
      if (one.get("name").getAsString().endsWith("RunTask")
          && one.has("dur")
          && one.get("pid").equals(mark.get("pid"))
          && one.get("tid").equals(mark.get("tid"))) {
        tasks++;
        wall = Math.max(wall, one.get("dur").getAsDouble() / 1_000);
        cpu = Math.max(cpu, one.has("tdur") ? one.get("tdur").getAsDouble() / 1_000 : 0);
      }
    }
    return new Task(wall, cpu, tasks);
  }

  /** Whether the page's heap stays small, whatever was told. */
  boolean forgets(int events) throws IOException, InterruptedException {
    chromium.evaluate(session, "location.hash = '#/events'");
    chromium.await(session, "document.querySelector('.events .row')");
    long begin = System.nanoTime();
    List<Thread> tellers = new ArrayList<>();
    for (int i = 0; i < TELLERS; i++) {
      tellers.add(Thread.ofVirtual().start(() -> tell(events / TELLERS + 1)));
    }
    for (Thread teller : tellers) {
      teller.join();
    }
    chromium.await(session, "window.kronEvents >= " + events);
    double page = heap(session);
    double worker = 0;
    JsonArray targets =
        chromium.call(null, "Target.getTargets", Chromium.with()).getAsJsonArray("targetInfos");
    for (JsonElement one : targets) {
      JsonObject target = one.getAsJsonObject();
      if (target.get("type").getAsString().equals("shared_worker")) {
        worker = heap(chromium.attach(target.get("targetId").getAsString()));
      }
    }
    boolean met = page + worker <= HEAP_MIB;
    System.out.printf(
        "%,d events in %d s, %s gaps: %.1f MiB of heap, %.1f MiB in the worker: %s%n",
        chromium.evaluate(session, "window.kronEvents").getAsInt(),
        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin),
        chromium.evaluate(session, "window.kronGaps"),
        page,
        worker,
        met ? "met" : "MISSED");
    return met;
  }

  /** Asks for what is refused, which is an event each. */
  private void tell(int events) {
    try {
      for (int i = 0; i < events; i++) {
        ClientsMeasurement.call(socket, "POST", "/v1/jobs/job" + (1 + i % 90) + "/stop");
      }
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private double heap(String of) throws IOException, InterruptedException {
    chromium.call(of, "HeapProfiler.collectGarbage", Chromium.with());
    return chromium.call(of, "Runtime.getHeapUsage", Chromium.with()).get("usedSize").getAsDouble()
        / (1 << 20);
  }

  /** Now, as it is left open. */
  void watch() throws IOException, InterruptedException {
    chromium.evaluate(session, "location.hash = '#/now'");
    chromium.await(session, "document.querySelector('.health')");
  }

  @Override
  public void close() {
    chromium.close();
  }
}
