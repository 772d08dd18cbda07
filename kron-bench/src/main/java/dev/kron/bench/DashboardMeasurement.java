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
 * What a dashboard asks for, with 10,000 jobs and 500 services: how long the daemon's loop is held
 * by an answer, and how long the answers take, for one client and for 19 at once that follow events
 * too.
 */
final class DashboardMeasurement implements Measurement {
  private static final int JOBS = 10_000;
  private static final int SERVICES = 500;
  private static final int CLIENTS = 19;
  private static final int ANSWERS = 1_000;
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
    return "what a dashboard asks for, with 10,000 jobs and 500 services: loop and answers";
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
        boolean alone = measure(socket, 1, 0.99, "0.005");
        for (int i = 0; i < CLIENTS; i++) {
          SocketChannel channel = ClientsMeasurement.send(socket, "GET", "/v1/events");
          open.add(channel);
          InputStream in = Channels.newInputStream(channel);
          Thread.ofVirtual().start(() -> ClientsMeasurement.drain(in));
        }
        boolean together = measure(socket, CLIENTS, 1, "0.05");
        return alone && together;
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

  /** Asks so many at once; whether so great a part of the loop's inputs waited no longer. */
  private static boolean measure(Path socket, int clients, double part, String bound)
      throws Exception {
    String before = ClientsMeasurement.call(socket, "GET", "/metrics");
    System.out.printf("%n%d at once%n%-44s %10s %10s%n", clients, "", "median", "99th");
    for (String path : PATHS) {
      long[] nanos = new long[ANSWERS];
      List<Thread> threads = new ArrayList<>();
      for (int client = 0; client < clients; client++) {
        int first = client;
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      for (int i = first; i < ANSWERS; i += clients) {
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
          path, nanos[ANSWERS / 2] / 1e6, nanos[ANSWERS * 99 / 100] / 1e6);
    }
    String after = ClientsMeasurement.call(socket, "GET", "/metrics");
    double all = lag(after, "+Inf") - lag(before, "+Inf");
    double within = lag(after, bound) - lag(before, bound);
    boolean met = within >= all * part;
    System.out.printf(
        "%.0f inputs of the loop, %.0f waited longer than %s s: %s%n",
        all, all - within, bound, met ? "met" : "MISSED");
    return met;
  }

  private static double lag(String metrics, String bound) {
    return ClientsMeasurement.value(
        metrics, "kron_loop_lag_seconds_bucket{le=\"%s\"} ".formatted(bound));
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
