package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the manual shows to be told of failures, against a mail program, a mail server and a web
 * server that are really there: the lines are taken from the manual.
 */
final class AlertDeliveryTest {
  private static final Path MANUAL =
      Path.of(System.getProperty("kron.root", "..")).resolve("docs/running.md");
  private static final String CURL = "/usr/bin/curl";

  @TempDir Path directory;

  private TestDaemon daemon() throws IOException {
    return new TestDaemon(directory, "2026-05-04T02:59:58Z");
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  /** The entry of the manual whose onfailure holds the word, its command one that fails. */
  private static String shown(String word) throws IOException {
    String entry =
        Files.readAllLines(MANUAL).stream()
            .filter(line -> line.startsWith("    ") && line.contains("onfailure="))
            .filter(line -> line.contains(word))
            .findFirst()
            .orElseThrow(() -> new AssertionError("the manual shows no " + word));
    return entry
        .strip()
        .replace(
            "command=/usr/local/bin/backup",
            "command=\"/bin/sh -c 'echo copying; echo disk is full >&2; exit 9'\"");
  }

  private static void needsCurl(String protocol) throws Exception {
    assumeTrue(Files.isExecutable(Path.of(CURL)), "the manual's line needs " + CURL);
    Process version = new ProcessBuilder(CURL, "--version").redirectErrorStream(true).start();
    String said = new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assumeTrue(version.waitFor() == 0 && said.contains(" " + protocol + " "), said);
  }

  private static void failAndSettle(TestDaemon daemon, String line) throws Exception {
    daemon.write(line).start().pass(Duration.ofSeconds(3));
    assertEquals(9, daemon.awaitEntries("backup", 1).exitCode());
    // When the directory of its run is gone, an alert has ended.
    daemon.await("the end of the alert", () -> runs(daemon) == 1 && alerts(daemon) == 1);
  }

  private static long runs(TestDaemon daemon) throws IOException {
    try (var files = Files.list(daemon.statePath().resolve("runs"))) {
      return files.count();
    }
  }

  private static long alerts(TestDaemon daemon) {
    return daemon.log().lines().filter(l -> l.contains("event=onfailure_started")).count();
  }

  @Test
  void aPeriodThatNeverRanIsToldWithoutARunId() throws Exception {
    try (var daemon = daemon()) {
      daemon
          .write(
              "0 * * * * name=job command=/bin/true onfailure=\"/bin/sh -c 'echo $KRON_OUTCOME [$KRON_RUN_ID] >%s'\""
                  .formatted(file("told")))
          .start()
          .setClock("2026-05-04T03:00:40Z");
      daemon.awaitEntries("job", 1);
      daemon.await("the alert", () -> Files.exists(file("told")) && Files.size(file("told")) > 0);
      assertEquals("missed []\n", Files.readString(file("told")));
      daemon.await("the end of the alert", () -> runs(daemon) == 0);
    }
  }

  @Test
  void aMailProgramGetsSubjectRecipientAndTheEndOfTheOutput() throws Exception {
    Path program = file("mail");
    Files.writeString(
        program, "#!/bin/sh\n(printf '<%%s>' \"$@\"; echo; cat) >>%s\n".formatted(file("mailbox")));
    assertTrue(program.toFile().setExecutable(true));
    try (var daemon = daemon()) {
      failAndSettle(daemon, shown("mail -s").replace("mail -s", program + " -s"));
      assertEquals(
          "<-s><backup: executed 9><root>\ncopying\ndisk is full\n",
          Files.readString(file("mailbox")));
    }
  }

  @Test
  void aMailServerGetsOneMail() throws Exception {
    needsCurl("smtp");
    try (var server = new MailServer();
        var daemon = daemon()) {
      failAndSettle(
          daemon,
          shown("smtp://").replace("smtp://localhost", "smtp://127.0.0.1:" + server.port()));
      assertEquals(1, server.mails.size(), server.mails::toString);
      assertEquals(
          List.of(
              "MAIL FROM:<kron@example.net>",
              "RCPT TO:<root@example.net>",
              "Subject: backup: executed 9",
              "",
              "copying",
              "disk is full"),
          server.mails.getFirst());
    }
  }

  @Test
  void aWebHookGetsTheEndOfTheOutputOnce() throws Exception {
    needsCurl("http");
    try (var hook = new Hook(200);
        var daemon = daemon()) {
      failAndSettle(daemon, hook.instead(shown("hooks.example.net")));
      assertEquals(List.of("POST /kron copying\ndisk is full\n"), hook.requests);
      assertFalse(daemon.log().contains("event=onfailure_failed"), daemon.log());
    }
  }

  @Test
  void aHookThatRefusesIsOnRecordAndIsNotTriedAgain() throws Exception {
    needsCurl("http");
    try (var hook = new Hook(500);
        var daemon = daemon()) {
      failAndSettle(daemon, hook.instead(shown("hooks.example.net")));
      daemon.await("it says so", () -> daemon.log().contains("event=onfailure_failed"));
      assertTrue(daemon.log().contains("exit=22"), daemon.log());
      daemon.stop();
      daemon.start().pass(Duration.ofSeconds(5));
      assertEquals(1, hook.requests.size(), "a failure is told once, whatever becomes of it");
    }
  }

  @Test
  void aHookThatNobodyListensToHoldsNobody() throws Exception {
    needsCurl("http");
    int port;
    try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = closed.getLocalPort();
    }
    try (var daemon = daemon()) {
      failAndSettle(
          daemon,
          shown("hooks.example.net")
              .replace("https://hooks.example.net", "http://127.0.0.1:" + port));
      daemon.await("it says so", () -> daemon.log().contains("event=onfailure_failed"));
      assertTrue(daemon.log().contains("exit=7"), daemon.log());
    }
  }

  @Test
  void aHookThatNeverAnswersHoldsNeitherJobsNorTheStop() throws Exception {
    needsCurl("http");
    try (var silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        var daemon = daemon()) {
      silent.setSoTimeout(60_000);
      String line =
          shown("hooks.example.net")
              .replace("https://hooks.example.net", "http://127.0.0.1:" + silent.getLocalPort());
      daemon
          .write(line, "* * * * * name=other command=/bin/true")
          .start()
          .pass(Duration.ofSeconds(3));
      try (Socket never = silent.accept()) {
        assertEquals(9, daemon.awaitEntries("backup", 1).exitCode());
        daemon.passUntil("2026-05-04T03:02:01Z");
        daemon.awaitEntries("other", 3);
        assertEquals(0, daemon.stop());
        assertFalse(never.isClosed(), "it was still waiting");
      }
    }
  }

  @Test
  void secretsAreInNoLogAndNoRecord() throws Exception {
    needsCurl("http");
    try (var hook = new Hook(200);
        var daemon = daemon()) {
      String line =
          hook.instead(shown("hooks.example.net"))
              .replace("--data-binary", "-H 'Authorization: Bearer of-the-hook' --data-binary");
      failAndSettle(daemon, line + " env=API_TOKEN=of-the-job");
      assertEquals(List.of("Bearer of-the-hook"), hook.authorizations);
      String everything = daemon.log() + files(daemon.statePath());
      assertTrue(everything.contains("name backup\n"), "the note of the run is among it");
      assertFalse(everything.contains("of-the-hook"), everything);
      assertFalse(everything.contains("of-the-job"), everything);
    }
  }

  private static String files(Path below) throws IOException {
    var text = new StringBuilder();
    try (var all = Files.walk(below)) {
      for (Path path : all.filter(Files::isRegularFile).toList()) {
        text.append(Files.readString(path, StandardCharsets.ISO_8859_1));
      }
    }
    return text.toString();
  }

  @Test
  void everyKindOfFailureIsToldOnceAndNothingElse() throws Exception {
    Path told = file("told");
    String go = "while [ ! -e " + file("go") + " ]; do sleep 0.02; done";
    try (var daemon =
        daemon()
            .onFailure(
                "/bin/sh",
                "-c",
                "echo \"$KRON_JOB $KRON_OUTCOME [$KRON_EXIT] $KRON_REASON\" >>" + told)) {
      daemon
          .write(
              "0 3 * * * name=fails command=\"/bin/sh -c 'exit 3'\"",
              "0 3 * * * name=absent command=/nowhere/at/all",
              "0 3 * * * name=slow timeout=5s command=\"sleep 600\"",
              "0 3 * * * @win(after,1s) @only(hours=12) name=never command=/bin/true",
              "0 3 * * * name=fine command=/bin/true",
              "30 3 * * * name=late command=/bin/true",
              "* * * * * @policy(deadline=1h) name=busy shell=true command=\"" + go + "\"")
          .start()
          .pass(Duration.ofSeconds(3));
      daemon.await(
          "two that run",
          () -> daemon.log().lines().filter(l -> l.contains("event=run_started")).count() >= 4);
      daemon.pass(Duration.ofSeconds(6));
      daemon.awaitEntries("slow", 1);
      daemon.setClock("2026-05-04T03:31:00Z");
      daemon.awaitEntries("late", 1);
      daemon.awaitEntries("busy", 1);
      Files.createFile(file("go"));
      daemon.awaitEntries("busy", 2);
      daemon.await("five alerts", () -> Files.exists(told) && lines(told).size() >= 5);
      assertEquals(
          List.of(
              "absent executed [] /nowhere/at/all: No such file or directory",
              "fails executed [3] ",
              "late missed [] 60 s late when the daemon was there again, the deadline is 0 s",
              "never unschedulable [] no candidate accepted within MaxAttempts",
              "slow executed [143] timed out"),
          lines(told).stream().sorted().toList());
      daemon.await("five in the log", () -> alerts(daemon) >= 5);
      assertEquals(5, alerts(daemon));
    }
  }

  private static List<String> lines(Path file) throws IOException {
    return Files.readAllLines(file);
  }

  /** A web server that takes notes. */
  private static final class Hook implements AutoCloseable {
    final List<String> requests = new CopyOnWriteArrayList<>();
    final List<String> authorizations = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    Hook(int status) throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/",
          exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            String authorization = exchange.getRequestHeaders().getFirst("Authorization");
            if (authorization != null) {
              authorizations.add(authorization);
            }
            requests.add(
                exchange.getRequestMethod()
                    + " "
                    + exchange.getRequestURI()
                    + " "
                    + new String(body, StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
          });
      server.start();
    }

    String instead(String line) {
      return line.replace(
          "https://hooks.example.net", "http://127.0.0.1:" + server.getAddress().getPort());
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  /** As much of a mail server as a client needs to hand over a mail. */
  private static final class MailServer implements AutoCloseable {
    final List<List<String>> mails = new CopyOnWriteArrayList<>();
    private final ServerSocket socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());

    MailServer() throws IOException {
      Thread.ofVirtual().start(this::serve);
    }

    int port() {
      return socket.getLocalPort();
    }

    private void serve() {
      while (true) {
        try (Socket client = socket.accept()) {
          converse(client);
        } catch (IOException e) {
          return; // the test is over
        }
      }
    }

    private void converse(Socket client) throws IOException {
      var in =
          new BufferedReader(
              new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
      List<String> mail = new ArrayList<>();
      boolean content = false;
      answer(client, "220 here");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (content) {
          if (line.equals(".")) {
            content = false;
            mails.add(List.copyOf(mail));
            answer(client, "250 taken");
          } else {
            mail.add(line);
          }
        } else if (line.equals("DATA")) {
          content = true;
          answer(client, "354 go on");
        } else if (line.equals("QUIT")) {
          answer(client, "221 bye");
          return;
        } else {
          if (line.startsWith("MAIL") || line.startsWith("RCPT")) {
            mail.add(line);
          }
          answer(client, "250 well");
        }
      }
    }

    private static void answer(Socket client, String line) throws IOException {
      client.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
