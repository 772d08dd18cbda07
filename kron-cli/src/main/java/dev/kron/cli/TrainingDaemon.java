package dev.kron.cli;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Answers like a daemon, from a few texts: the commands that ask one are to be trained without a
 * real one's classes in their cache.
 */
final class TrainingDaemon implements AutoCloseable {
  private static final String RUN =
      """
      {"runId":"01m7gec7q19k5k6y5q2rxaaxs7","identity":"/x/y:one","state":"ended","outcome":"executed",\
      "manual":false,"nominalTime":"2026-03-01T00:00:00Z","chosenTime":"2026-03-01T00:00:01Z",\
      "startedAt":"2026-03-01T00:00:01.123Z","completedAt":"2026-03-01T00:00:02.5Z","exitCode":1,\
      "signal":null,"stage":null,"reason":"a \\"b\\" \\u00e9","failed":true,"pid":null,"execution":null}\
      """;
  private static final String JOB =
      """
      {"identity":"/x/y:one","name":"one","schedule":"0 0 * * *","timezone":"UTC","description":null,\
      "inFile":true,"suspended":false,"activeRuns":0,"lastOutcome":"executed",\
      "lastNominalTime":"2026-03-01T00:00:00Z","lastChosenTime":null,"nextDue":"2026-03-02T00:00:00Z",\
      "heldUntil":null,"entry":{"file":"/x/y","line":1,"concurrency":"forbid","deadline":"0s"},\
      "execution":{"problem":null,"argv":["/bin/true"],"user":"root","uid":0,"gid":0,"groups":[0],\
      "cwd":"/","umask":"0022","environment":["A=b"],"stdout":"inherit","stderr":"inherit"},"active":[]}\
      """;
  private static final String STATUS =
      """
      {"healthy":true,"problems":[],"version":"1","pid":1,"startedAt":"2026-03-01T00:00:00Z",\
      "now":"2026-03-01T01:00:00Z","jobs":{"total":1,"suspended":0,"held":0,"activeRuns":1},\
      "running":[RUN],"next":[{"identity":"/x/y:one","name":"one","due":"2026-03-02T00:00:00Z"}],\
      "failedLastDay":1,"failed":[RUN],"services":{"total":1,"running":1},"troubledServices":[]}\
      """;
  private static final String SERVICE =
      """
      {"name":"web","type":"simple","description":null,"state":"running","wanted":"up","inFile":true,\
      "instances":[{"instance":"web@0","state":"running","pid":1,"runId":"x",\
      "since":"2026-03-01T00:00:00Z","restarts":0,"restarting":false,"exitCode":null,"reason":null,\
      "outdated":false,"waitingOn":[],"conflictsWith":[]}]}\
      """;
  private static final String WHY =
      """
      {"identity":"/x/y:one","schedule":"0 0 * * *","now":"2026-03-01T01:00:00Z","periods":[\
      {"nominalTime":"2026-03-01T00:00:00Z","windowStart":"2026-03-01T00:00:00Z",\
      "windowEnd":"2026-03-01T00:00:00Z","chosenTime":"2026-03-01T00:00:00Z","verdict":"executed",\
      "explanation":"it ran","run":null}],"notes":["next"],"nextDue":null}\
      """;
  private static final String EVENT =
      """
      id: x-1
      event: ready
      data: {"id":"x-1","time":"2026-03-01T00:00:00Z","level":"info","event":"ready","jobs":1}

      """;

  private final Path socket;
  private final ServerSocketChannel server;

  TrainingDaemon(Path socket) throws IOException {
    this.socket = socket;
    this.server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(socket));
    Thread.ofPlatform().daemon().start(this::serve);
  }

  Path socket() {
    return socket;
  }

  static List<List<String>> lines() {
    return List.of(
        List.of("status"),
        List.of("status", "--format", "json"),
        List.of("jobs"),
        List.of("services"),
        List.of("runs"),
        List.of("runs", "one"),
        List.of("show", "one"),
        List.of("why", "one"),
        List.of("why", "one", "2026-03-01"),
        List.of("logs", "one"),
        List.of("events"),
        List.of("trigger", "one"),
        List.of("suspend", "one"),
        List.of("resume", "one"),
        List.of("reload", "--dry-run"));
  }

  private void serve() {
    try {
      while (true) {
        try (SocketChannel channel = server.accept()) {
          answer(channel);
        }
      }
    } catch (IOException e) {
      // The training is over.
    }
  }

  private static void answer(SocketChannel channel) throws IOException {
    ByteBuffer request = ByteBuffer.allocate(4096);
    channel.read(request);
    String path = new String(request.array(), StandardCharsets.US_ASCII).split(" ")[1];
    String body = body(path.replaceAll("[?].*", ""));
    // What is asked for is a job, and no service is called like it.
    String status = path.startsWith("/v1/services/") ? "404 Not Found" : "200 OK";
    String head = "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n";
    // Both ways in which a daemon sends a body.
    String rest =
        path.contains("/events")
            ? "Transfer-Encoding: chunked\r\n\r\n"
                + Integer.toHexString(body.length())
                + "\r\n"
                + body
                + "\r\n0\r\n\r\n"
            : "Content-Length: " + body.length() + "\r\n\r\n" + body;
    ByteBuffer bytes = ByteBuffer.wrap((head + rest).getBytes(StandardCharsets.US_ASCII));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private static String body(String path) {
    return switch (path) {
      case "/v1/status" -> STATUS.replace("RUN", RUN);
      case "/v1/jobs" -> "{\"jobs\":[" + JOB + "]}";
      case "/v1/jobs/one" -> JOB;
      case "/v1/services" -> "{\"services\":[" + SERVICE + "]}";
      case "/v1/jobs/one/why" -> WHY;
      case "/v1/runs", "/v1/jobs/one/runs" -> "{\"runs\":[" + RUN + "]}";
      case "/v1/events" -> EVENT;
      case "/v1/reload" -> "{\"added\":[\"/x/y:one\"],\"changed\":[],\"removed\":[]}";
      default -> path.contains("/logs/") ? "output\n" : "{\"message\":\"done\",\"runId\":\"x\"}";
    };
  }

  @Override
  public void close() throws IOException {
    server.close();
    Files.deleteIfExists(socket);
  }
}
