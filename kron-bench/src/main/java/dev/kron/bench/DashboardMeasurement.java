package dev.kron.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The dashboard with 10,000 jobs and 500 services: how long the daemon's loop is held by an answer;
 * when its page is usable, whether it scrolls, and what it keeps; how long the loop's inputs wait
 * while one browser and 19 scripted clients look, each of which asks again when it has its answer,
 * and follows events.
 *
 * <p>{@code kron-bench/run dashboard [--quick]}: quickly, a tenth of the answers and events.
 */
final class DashboardMeasurement implements Measurement {
  private static final int JOBS = 10_000;
  private static final int SERVICES = 500;
  private static final int CLIENTS = 19;
  private static final int ANSWERS = 1_000;
  private static final int EVENTS = 100_000;
  private static final String HOLD = "kron_loop_hold_seconds";
  private static final String LAG = "kron_loop_lag_seconds";
  private static final List<String> PATHS =
      List.of(
          "/v1/overview",
          "/v1/jobs?limit=100&sort=next",
          "/v1/jobs?limit=100&filter=99&last=failing",
          "/v1/timeline?limit=50",
          "/v1/services?limit=100",
          "/v1/search?q=job77",
          "/v1/load");

  @Override
  public String title() {
    return "the dashboard with 10,000 jobs and 500 services: loop, answers, page in a browser";
  }

  @Override
  public boolean run(List<String> options) throws Exception {
    Path root = Child.root();
    new KrondDaemon(root).build();
    try (var scratch = new Scratch(root)) {
      Path directory = scratch.directory();
      Path socket = directory.resolve("run").resolve("krond.sock");
      Process daemon = start(root, directory, socket);
      List<SocketChannel> open = new ArrayList<>();
      try {
        ClientsMeasurement.await(socket);
        awaitServices(socket);
        int part = options.contains("--quick") ? 10 : 1;
        boolean met = alone(socket, ANSWERS / part);
        try (var page = new DashboardPage(directory.resolve("profile"), socket)) {
          met &= page.opens();
          met &= page.scrolls();
          met &= page.forgets(EVENTS / part);
          page.watch();
          for (int i = 0; i < CLIENTS; i++) {
            SocketChannel channel = ClientsMeasurement.send(socket, "GET", "/v1/events");
            open.add(channel);
            InputStream in = Channels.newInputStream(channel);
            Thread.ofVirtual().start(() -> ClientsMeasurement.drain(in));
          }
          met &= together(socket, ANSWERS / part);
        }
        return met;
      } finally {
        for (SocketChannel channel : open) {
          channel.close();
        }
        ClientsMeasurement.call(socket, "POST", "/v1/shutdown?jobs=kill");
        daemon.waitFor();
      }
    }
  }

  private static Process start(Path root, Path directory, Path socket) throws IOException {
    Path config = Files.createDirectories(directory.resolve("config"));
    var text = new StringBuilder();
    for (int i = 0; i < JOBS; i++) {
      String schedule = i % 100 == 0 ? "* * * * *" : i % 24 + " " + i % 17 + " * * *";
      text.append(schedule).append(" @win(after,10m) name=job").append(i);
      text.append(" command=/bin/").append(i % 1000 == 0 ? "false" : "true").append('\n');
    }
    Files.writeString(config.resolve("jobs.krontab"), text);
    for (int i = 0; i < SERVICES; i++) {
      Files.writeString(
          config.resolve("service" + i + ".toml"), "[service]\nexec = \"sleep 100000\"\n");
    }
    List<String> command = new ArrayList<>(List.of("setsid", "./krond", config.toString()));
    command.addAll(List.of("--state", directory.resolve("state").toString()));
    command.addAll(List.of("--socket", socket.toString()));
    return new ProcessBuilder(command)
        .directory(root.toFile())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(directory.resolve("log").toFile())
        .start();
  }

  private static void awaitServices(Path socket) throws IOException, InterruptedException {
    for (int i = 0; i < 120; i++) {
      if (ClientsMeasurement.call(socket, "GET", "/v1/overview?limit=0")
          .contains("\"servicesUp\":" + SERVICES)) {
        return;
      }
      TimeUnit.SECONDS.sleep(1);
    }
  }

  /** Whether answers for one client hold the loop for a moment only. */
  private static boolean alone(Path socket, int answers) throws Exception {
    String before = metrics(socket);
    ask(socket, 1, answers);
    double longer = longer(metrics(socket), HOLD, "0.005") - longer(before, HOLD, "0.005");
    double allowed = PATHS.size() * answers / 100.0;
    System.out.printf(
        "%,d answers; the loop was held longer than 5 ms %.0f times, at most %.0f: %s%n",
        PATHS.size() * answers, longer, allowed, longer <= allowed ? "met" : "MISSED");
    return longer <= allowed;
  }

  /** Whether inputs wait for a moment only, whoever looks. */
  private static boolean together(Path socket, int answers) throws Exception {
    String before = metrics(socket);
    ask(socket, CLIENTS, answers);
    String after = metrics(socket);
    double longer = longer(after, LAG, "0.05") - longer(before, LAG, "0.05");
    System.out.printf(
        "%.0f inputs of the loop, %.0f waited longer than 50 ms: %s%n",
        all(after, LAG) - all(before, LAG), longer, longer == 0 ? "met" : "MISSED");
    return longer == 0;
  }

  private static String metrics(Path socket) throws IOException {
    return ClientsMeasurement.call(socket, "GET", "/metrics");
  }

  private static double all(String metrics, String of) {
    return ClientsMeasurement.value(metrics, of + "_count ");
  }

  /** How many took longer than a bound. */
  private static double longer(String metrics, String of, String bound) {
    String within = "%s_bucket{le=\"%s\"} ".formatted(of, bound);
    return all(metrics, of) - ClientsMeasurement.value(metrics, within);
  }

  /** Asks for everything so often, so many at once, and says how long it took. */
  private static void ask(Path socket, int clients, int answers) throws InterruptedException {
    System.out.printf("%n%d at once%n%-44s %10s %10s%n", clients, "", "median", "99th");
    for (String path : PATHS) {
      long[] nanos = new long[answers];
      List<Thread> threads = new ArrayList<>();
      for (int client = 0; client < clients; client++) {
        int first = client;
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      for (int i = first; i < answers; i += clients) {
                        nanos[i] = time(socket, path);
                      }
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      Arrays.sort(nanos);
      System.out.printf(
          "%-44s %7.1f ms %7.1f ms%n",
          path, nanos[answers / 2] / 1e6, nanos[answers * 99 / 100] / 1e6);
    }
  }

  private static long time(Path socket, String path) {
    long began = System.nanoTime();
    try {
      String answer = ClientsMeasurement.call(socket, "GET", path);
      if (!answer.startsWith("HTTP/1.1 200")) {
        throw new IllegalStateException(path + ": " + answer);
      }
    } catch (IOException e) {
      throw new IllegalStateException(path, e);
    }
    return System.nanoTime() - began;
  }
}
