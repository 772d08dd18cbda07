package dev.kron.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * 200 clients follow events and output, every fourth of them without ever reading, while 1,000 jobs
 * start in the same minute: how long inputs wait for the daemon's loop, and what memory it takes.
 *
 * <p>{@code kron-bench/run clients [--user NAME]}: the daemon as another user, who may not go
 * before others on the machine.
 */
final class ClientsMeasurement implements Measurement {
  private static final int CLIENTS = 200;
  private static final int JOBS = 1_000;
  private static final long LAG_MILLIS = 100;
  private static final double MEMORY_MIB = 400;
  private static final int PREPARATION_SECONDS = 15;
  private static final int PATIENCE_SECONDS = 40;
  private static final String LAG = "kron_loop_lag_seconds";
  private static final List<String> BOUNDS =
      List.of("0.001", "0.005", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "+Inf");
  private static final String SUCCEEDED = "kron_runs_total{outcome=\"succeeded\"} ";

  @Override
  public String title() {
    return "200 clients that follow, some stalled, while 1,000 jobs start: loop lag and memory";
  }

  @Override
  public boolean run(List<String> options) throws Exception {
    Path root = Child.root();
    new KrondDaemon(root).build();
    try (var scratch = new Scratch(root)) {
      Path directory = scratch.directory();
      Instant minute =
          Instant.now()
              .plusSeconds(PREPARATION_SECONDS)
              .truncatedTo(ChronoUnit.MINUTES)
              .plusSeconds(60);
      Path socket = directory.resolve("run").resolve("krond.sock");
      Process daemon = start(root, directory, minute, socket, user(options, directory));
      List<SocketChannel> open = new ArrayList<>();
      try {
        await(socket);
        follow(socket, open);
        progress(CLIENTS + " clients follow; the jobs are due at " + minute);
        awaitRuns(socket, minute);
        return report(daemon, call(socket, "GET", "/metrics"));
      } finally {
        for (SocketChannel channel : open) {
          channel.close();
        }
        call(socket, "POST", "/v1/shutdown?jobs=kill"); // the talker goes with it
        daemon.waitFor();
      }
    }
  }

  /** The words before a command that make it another user's, in a directory that is theirs. */
  private static List<String> user(List<String> options, Path directory) throws IOException {
    int at = options.indexOf("--user");
    if (at < 0 || at + 1 == options.size()) {
      return List.of();
    }
    String name = options.get(at + 1);
    Files.setOwner(
        directory,
        directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(name));
    return List.of("setpriv", "--reuid=" + name, "--clear-groups", "--");
  }

  private static Process start(
      Path root, Path directory, Instant minute, Path socket, List<String> user)
      throws IOException {
    Path config = Files.createDirectories(directory.resolve("config"));
    ZonedDateTime at = minute.atZone(ZoneOffset.UTC);
    var text = new StringBuilder("0 0 1 1 * name=talker shell=true command=\"");
    text.append("while true; do echo $(date) something to follow; sleep 0.1; done\"\n");
    for (int i = 0; i < JOBS; i++) {
      text.append(at.getMinute()).append(' ').append(at.getHour()).append(" * * * name=job");
      text.append(i).append(" command=\"/bin/echo ").append(i).append("\"\n");
    }
    Files.writeString(config.resolve("jobs.krontab"), text);
    // In a session of its own, as daemons are: kernels share the processors out by session.
    List<String> command = new ArrayList<>(List.of("setsid"));
    command.addAll(user);
    command.addAll(List.of("./krond", config.toString()));
    command.addAll(List.of("--state", directory.resolve("state").toString()));
    command.addAll(List.of("--socket", socket.toString()));
    return new ProcessBuilder(command)
        .directory(root.toFile())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(directory.resolve("log").toFile())
        .start();
  }

  static void await(Path socket) throws InterruptedException {
    for (int i = 0; i < 600; i++) {
      try {
        call(socket, "GET", "/v1/version");
        return;
      } catch (IOException e) {
        TimeUnit.MILLISECONDS.sleep(100);
      }
    }
  }

  static SocketChannel send(Path socket, String method, String path) throws IOException {
    SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
    String request = method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
    return channel;
  }

  static String call(Path socket, String method, String path) throws IOException {
    try (SocketChannel channel = send(socket, method, path)) {
      return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Until every job ran, or too much time has passed for it. */
  private static void awaitRuns(Path socket, Instant minute)
      throws IOException, InterruptedException {
    TimeUnit.MILLISECONDS.sleep(minute.toEpochMilli() - System.currentTimeMillis());
    double ran = 0;
    while (ran < JOBS && Instant.now().isBefore(minute.plusSeconds(PATIENCE_SECONDS))) {
      TimeUnit.SECONDS.sleep(1);
      ran = value(call(socket, "GET", "/metrics"), SUCCEEDED);
      progress("%.0f of %d jobs ran".formatted(ran, JOBS));
    }
  }

  private static void progress(String text) {
    System.out.printf("%s  %s%n", Instant.now().truncatedTo(ChronoUnit.SECONDS), text);
  }

  private static void follow(Path socket, List<SocketChannel> open) throws IOException {
    Matcher run =
        Pattern.compile("\"runId\":\"(\\w+)\"")
            .matcher(call(socket, "POST", "/v1/jobs/talker/trigger"));
    if (!run.find()) {
      throw new IOException("the talker does not start");
    }
    String logs = "/v1/runs/" + run.group(1) + "/logs/stdout?follow=true";
    for (int i = 0; i < CLIENTS; i++) {
      SocketChannel channel = send(socket, "GET", i % 2 == 0 ? "/v1/events?after=0" : logs);
      open.add(channel);
      if (i % 4 != 0) {
        InputStream in = Channels.newInputStream(channel);
        Thread.ofVirtual().start(() -> drain(in));
      }
    }
  }

  static void drain(InputStream in) {
    try {
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // The measurement is over.
    }
  }

  private static boolean report(Process daemon, String metrics) throws IOException {
    double total = value(metrics, LAG + "_count ");
    double within = value(metrics, LAG + "_bucket{le=\"0.1\"} ");
    double succeeded = value(metrics, SUCCEEDED);
    double resident = peakMebibytes(daemon);
    System.out.printf("%n%-24s %8s%n", "an input waited at most", "inputs");
    for (String bound : BOUNDS) {
      System.out.printf(
          "%21s s  %8.0f%n", bound, value(metrics, LAG + "_bucket{le=\"" + bound + "\"} "));
    }
    System.out.printf(
        "%n%d clients, %.0f of %d jobs ran; %.0f inputs, %.0f waited longer than %d ms; %.0f MiB at"
            + " most%n",
        CLIENTS, succeeded, JOBS, total, total - within, LAG_MILLIS, resident);
    boolean met = succeeded == JOBS && total == within && resident <= MEMORY_MIB;
    System.out.printf(
        "every job, lag below %d ms, at most %.0f MiB: %s%n",
        LAG_MILLIS, MEMORY_MIB, met ? "met" : "MISSED");
    return met;
  }

  private static double peakMebibytes(Process daemon) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/" + daemon.pid() + "/status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024.0;
      }
    }
    return Double.NaN;
  }

  static double value(String metrics, String name) {
    for (String line : metrics.split("\n")) {
      if (line.startsWith(name)) {
        return Double.parseDouble(line.substring(name.length()).strip());
      }
    }
    return Double.NaN;
  }
}
