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
 * <p>{@code kron-bench/run clients}.
 */
final class ClientsMeasurement implements Measurement {
  private static final int CLIENTS = 200;
  private static final int JOBS = 1_000;
  private static final long LAG_MILLIS = 100;
  private static final double MEMORY_MIB = 400;

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
          Instant.now().plusSeconds(20).truncatedTo(ChronoUnit.MINUTES).plusSeconds(60);
      Path socket = directory.resolve("run").resolve("krond.sock");
      Process daemon = start(root, directory, minute, socket);
      List<SocketChannel> open = new ArrayList<>();
      try {
        await(socket);
        follow(socket, open);
        TimeUnit.MILLISECONDS.sleep(
            minute.plusSeconds(45).toEpochMilli() - System.currentTimeMillis());
        return report(daemon, scrape(socket));
      } finally {
        for (SocketChannel channel : open) {
          channel.close();
        }
        call(socket, "POST", "/v1/shutdown?jobs=kill"); // the talker goes with it
        daemon.waitFor();
      }
    }
  }

  private static Process start(Path root, Path directory, Instant minute, Path socket)
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
    return new ProcessBuilder(
            "./krond",
            config.toString(),
            "--state",
            directory.resolve("state").toString(),
            "--socket",
            socket.toString())
        .directory(root.toFile())
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(directory.resolve("log").toFile())
        .start();
  }

  private static void await(Path socket) throws InterruptedException {
    for (int i = 0; i < 600; i++) {
      try {
        call(socket, "GET", "/v1/version");
        return;
      } catch (IOException e) {
        TimeUnit.MILLISECONDS.sleep(100);
      }
    }
  }

  private static SocketChannel send(Path socket, String method, String path) throws IOException {
    SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
    String request = method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
    return channel;
  }

  private static String call(Path socket, String method, String path) throws IOException {
    try (SocketChannel channel = send(socket, method, path)) {
      return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String scrape(Path socket) throws IOException {
    return call(socket, "GET", "/metrics");
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

  private static void drain(InputStream in) {
    try {
      in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // The measurement is over.
    }
  }

  private static boolean report(Process daemon, String metrics) throws IOException {
    double total = value(metrics, "kron_loop_lag_seconds_count ");
    double within = value(metrics, "kron_loop_lag_seconds_bucket{le=\"0.1\"} ");
    double succeeded = value(metrics, "kron_runs_total{outcome=\"succeeded\"} ");
    long resident = 0;
    for (String line : Files.readAllLines(Path.of("/proc/" + daemon.pid() + "/status"))) {
      if (line.startsWith("VmHWM:")) {
        resident = Long.parseLong(line.replaceAll("[^0-9]", ""));
      }
    }
    System.out.printf(
        "%n%d clients, %.0f of %d jobs ran; %.0f inputs, %.0f waited longer than %d ms; %.0f MiB at"
            + " most%n",
        CLIENTS, succeeded, JOBS, total, total - within, LAG_MILLIS, resident / 1024.0);
    boolean met = succeeded == JOBS && total == within && resident / 1024.0 <= MEMORY_MIB;
    System.out.printf(
        "every job, lag below %d ms, at most %.0f MiB: %s%n",
        LAG_MILLIS, MEMORY_MIB, met ? "met" : "MISSED");
    return met;
  }

  private static double value(String metrics, String name) {
    for (String line : metrics.split("\n")) {
      if (line.startsWith(name)) {
        return Double.parseDouble(line.substring(name.length()).strip());
      }
    }
    return Double.NaN;
  }
}
