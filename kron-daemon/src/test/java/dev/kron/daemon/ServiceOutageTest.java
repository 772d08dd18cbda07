package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.process.LogReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services of a daemon in a process of its own, which is killed and comes back. */
class ServiceOutageTest {
  /** Few in the normal build; {@code -Dkron.services=200} for more. */
  private static final int SERVICES = Integer.getInteger("kron.services", 24);

  private static final int LOG_BYTES = 32_768;
  private static final int LINE_BYTES = 700;

  @TempDir Path directory;

  private Path config() throws IOException {
    return Files.createDirectories(directory.resolve("config"));
  }

  private void service(String name, String... lines) throws IOException {
    Files.writeString(config().resolve(name + ".toml"), String.join("\n", lines) + "\n");
  }

  private DaemonProcess start() throws IOException {
    return DaemonProcess.start(
        config(), directory.resolve("state"), FastClocks.startingNow(1), "none");
  }

  /** Ignores TERM, and so do its children; one forked twice, one has a session of its own. */
  private void stubborn(String mark) throws IOException {
    String script =
        "trap '' TERM; (trap '' TERM; setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' "
            + mark
            + " &) ; (sh -c 'while :; do sleep 1; done' "
            + mark
            + " & ) ; while :; do sleep 1; done";
    service(
        "stubborn",
        "[service]",
        "shell = true",
        "exec = \"\"\"" + script.replace("\"", "\\\"") + "\"\"\"",
        "[lifecycle]",
        "stop_timeout_ms = 300");
  }

  private void stopsStubborn(DaemonProcess daemon, String mark) throws Exception {
    Files.delete(config().resolve("stubborn.toml"));
    new ProcessBuilder("kill", "-HUP", Long.toString(daemon.pid())).start().waitFor();
    daemon.awaitLine("event=removed instance=stubborn@0");
    assertEquals(0, Marked.count(mark), "nobody is left when it is said to be gone");
    assertEquals(0, daemon.stop());
  }

  @Test
  void aStopLeavesNobodyBehind() throws Exception {
    String mark = Marked.unique();
    stubborn(mark);
    try (DaemonProcess daemon = start()) {
      daemon.await(() -> Marked.count(mark) >= 2, "its children");
      stopsStubborn(daemon, mark);
    }
  }

  @Test
  void aStopLeavesNobodyBehindAlsoAfterTheDaemonWasKilled() throws Exception {
    String mark = Marked.unique();
    stubborn(mark);
    try (DaemonProcess first = start()) {
      first.awaitLine("event=running instance=stubborn@0");
      first.await(() -> Marked.count(mark) >= 2, "its children");
    }
    try (DaemonProcess second = start()) {
      second.awaitLine("event=adopted instance=stubborn@0");
      stopsStubborn(second, mark);
    }
  }

  @Test
  void aCrashLeavesNobodyBesideTheNextProcess() throws Exception {
    Path children = directory.resolve("children");
    Path starts = directory.resolve("starts");
    service(
        "web",
        "[service]",
        "shell = true",
        "exec = \"\"\"(setsid sh -c 'trap : TERM; echo $$ >>%s; while :; do sleep 1; done' &);"
                .formatted(children)
            + " echo $$ >>%s; exec sleep 1000\"\"\"".formatted(starts),
        "[lifecycle]",
        "restart_delay_ms = 0",
        "stop_timeout_ms = 300");
    try (DaemonProcess daemon = start()) {
      daemon.await(() -> lines(children).size() == 1 && lines(starts).size() == 1, "both");
      long child = Long.parseLong(lines(children).getFirst());
      ProcessHandle.of(Long.parseLong(lines(starts).getFirst())).orElseThrow().destroyForcibly();
      daemon.await(() -> lines(starts).size() == 2, "the next");
      TestProcesses.awaitGone(child);
      daemon.await(() -> lines(children).size() == 2, "its child");
      Files.delete(config().resolve("web.toml"));
      new ProcessBuilder("kill", "-HUP", Long.toString(daemon.pid())).start().waitFor();
      daemon.awaitLine("event=removed instance=web@0");
      TestProcesses.awaitGone(Long.parseLong(lines(children).getLast()));
      assertEquals(0, daemon.stop());
    }
  }

  /** Those that are finished. */
  private static List<String> lines(Path file) {
    try {
      String text = Files.exists(file) ? Files.readString(file) : "";
      return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aCheckThatHangsIsEndedByTheDaemonThatComesAfter() throws Exception {
    String mark = Marked.unique();
    String[] web = {"[service]", "exec = \"sleep 1000\"", "[health]", "timeout_ms = 100000000"};
    service(
        "web",
        String.join("\n", web)
            + "\nexec = ['sh', '-c', 'setsid sh -c \"sleep 1000; :\" %s & sleep 1000; :', '%s']"
                .formatted(mark, mark));
    try (DaemonProcess first = start()) {
      first.await(() -> Marked.count(mark) >= 2, "its check");
    }
    service("web", "[service]", "exec = \"sleep 1000\"");
    try (DaemonProcess second = start()) {
      second.awaitLine("event=adopted instance=web@0");
      second.await(() -> Marked.count(mark) == 0, "the check to be gone");
      Files.delete(config().resolve("web.toml"));
      new ProcessBuilder("kill", "-HUP", Long.toString(second.pid())).start().waitFor();
      second.awaitLine("event=removed instance=web@0");
      assertEquals(0, second.stop());
    }
  }

  @Test
  void survivesAKillWithEveryServiceOnceAndEveryEndByItsCode() throws Exception {
    long seed = Long.getLong("kron.seed", 7_15L);
    var random = new SplittableRandom(seed);
    Path gates = Files.createDirectories(directory.resolve("gates"));
    Path starts = directory.resolve("starts");
    Map<String, String> kinds = new HashMap<>();
    for (int i = 0; i < SERVICES; i++) {
      String name = "s" + i;
      String kind = List.of("stays", "ends", "crashes", "forks").get(random.nextInt(4));
      kinds.put(name, kind);
      String rest =
          switch (kind) {
            case "ends" -> "exit 0";
            case "crashes" -> "exit 9";
            case "forks" -> "(sleep 1000 &) ; exec sleep 1000";
            default -> "exec sleep 1000";
          };
      service(
          name,
          "[service]",
          "shell = true",
          "exec = \"\"\"echo "
              + name
              + " >>"
              + starts
              + "; n=0; while test -e "
              + gates
              + "; do n=$((n+1)); echo line $n "
              + "x".repeat(LINE_BYTES)
              + "; sleep %.2f; done; echo last $n; ".formatted(SERVICES / 1000.0)
              + rest
              + "\"\"\"",
          "[log]",
          "max_size = " + LOG_BYTES,
          "keep = 1000",
          "[lifecycle]",
          "restart = \"on-failure\"",
          "restart_delay_ms = 3600000",
          "restart_delay_max_ms = 3600000");
    }
    Map<String, String> pids = new HashMap<>();
    try (DaemonProcess first = start()) {
      for (String name : kinds.keySet()) {
        first.awaitLine("event=running instance=" + name + "@0");
      }
      first.log().stream()
          .filter(line -> line.contains("event=running"))
          .forEach(line -> pids.put(word(line, "instance="), word(line, "pid=")));
      first.await(() -> kinds.keySet().stream().allMatch(this::isLarge), "logs to be rotated");
    }
    try (DaemonProcess rotating = start()) {
      rotating.awaitLine("event=log_rotated"); // of the first of them; killed on its way
    }
    Files.delete(gates);
    try (DaemonProcess second = start()) {
      for (Map.Entry<String, String> service : kinds.entrySet()) {
        String id = service.getKey() + "@0";
        switch (service.getValue()) {
          case "ends" -> second.awaitLine("event=exited instance=" + id + " exit_code=0");
          case "crashes" ->
              second.awaitLine("event=failed instance=" + id + " reason=\"exit code 9\"");
          default -> second.awaitLine("event=adopted instance=" + id + " ");
        }
      }
      second.log().stream()
          .filter(line -> line.contains("event=adopted"))
          .forEach(
              line -> assertEquals(pids.get(word(line, "instance=")), word(line, "pid="), line));
      assertEquals(SERVICES, Files.readAllLines(starts).size(), "each once, seed " + seed);
      for (String name : kinds.keySet()) {
        second.await(() -> Files.exists(log(name + "@0.log.1")), name + " to be rotated");
        assertLogIsWhole(log(name + "@0.log"), seed);
      }
      for (String name : kinds.keySet()) {
        Files.delete(config().resolve(name + ".toml"));
      }
      new ProcessBuilder("kill", "-HUP", Long.toString(second.pid())).start().waitFor();
      second.awaitLine("event=reloaded");
      // Of those too that had ended long before.
      second.await(() -> count(second, "event=removed") == SERVICES, "all to be cleared away");
      assertTrue(allGone(pids), "and nobody is left then");
      assertEquals(0, second.stop());
    }
  }

  /** {@code -Dkron.services.graph=500} for more. */
  @Test
  void startsARandomGraphInOrderAndStopsAllOfIt() throws Exception {
    int count = Integer.getInteger("kron.services.graph", 40);
    int depth = Math.min(10, count / 4);
    long seed = Long.getLong("kron.seed", 4_10L);
    var random = new SplittableRandom(seed);
    Map<String, List<String>> requires = new HashMap<>();
    Path order = directory.resolve("order");
    for (int i = 0; i < count; i++) {
      int layer = i % depth;
      List<String> names = new ArrayList<>();
      for (int link = 0; layer > 0 && link < 1 + random.nextInt(3); link++) {
        int other = random.nextInt((count - layer) / depth) * depth + layer - 1;
        if (other < count && !names.contains("s" + other)) {
          names.add("s" + other);
        }
      }
      requires.put("s" + i, names);
      service(
          "s" + i,
          "[service]",
          "shell = true",
          "exec = \"echo s%d >>%s; exec sleep 1000\"".formatted(i, order),
          "[dependencies]",
          "requires = [%s]"
              .formatted(String.join(", ", names.stream().map("\"%s\""::formatted).toList())));
    }
    long began = System.nanoTime();
    try (DaemonProcess daemon = start()) {
      daemon.await(() -> running(daemon) == count, "all to run");
      System.getLogger("kron")
          .log(
              System.Logger.Level.INFO,
              "{0} services after {1} ms",
              count,
              (System.nanoTime() - began) / 1_000_000);
      Map<String, Integer> place = new HashMap<>();
      List<String> running =
          daemon.log().stream().filter(line -> line.contains("component=service")).toList();
      for (int i = 0; i < running.size(); i++) {
        String line = running.get(i);
        String name = word(line, "instance=").replace("@0", "");
        if (line.contains("event=running")) {
          place.put(name, i);
        } else if (line.contains("event=starting") && !line.contains("pid=")) {
          for (String required : requires.getOrDefault(name, List.of())) {
            assertTrue(
                place.containsKey(required), name + " before " + required + ", seed " + seed);
          }
        }
      }
      long stopping = System.nanoTime();
      for (String name : requires.keySet()) {
        Files.delete(config().resolve(name + ".toml"));
      }
      new ProcessBuilder("kill", "-HUP", Long.toString(daemon.pid())).start().waitFor();
      daemon.await(() -> count(daemon, "event=removed") == count, "all to be gone");
      System.getLogger("kron")
          .log(
              System.Logger.Level.INFO,
              "stopped after {0} ms",
              (System.nanoTime() - stopping) / 1_000_000);
      assertEquals(0, daemon.stop());
    }
  }

  private static int running(DaemonProcess daemon) {
    return count(daemon, "event=running");
  }

  private static int count(DaemonProcess daemon, String event) {
    return (int) daemon.log().stream().filter(line -> line.contains(event)).count();
  }

  private static boolean allGone(Map<String, String> pids) {
    return pids.values().stream().noneMatch(pid -> TestProcesses.lives(Long.parseLong(pid)));
  }

  private static String word(String line, String key) {
    int start = line.indexOf(key) + key.length();
    int end = line.indexOf(' ', start);
    return line.substring(start, end < 0 ? line.length() : end);
  }

  private Path log(String name) {
    return directory.resolve("state/logs").resolve(name);
  }

  private boolean isLarge(String service) {
    try {
      Path log = log(service + "@0.log");
      return Files.exists(log) && Files.size(log) > 2 * LOG_BYTES;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every line once, whole and in order, as whoever reads or follows the log sees it. */
  private static void assertLogIsWhole(Path log, long seed) throws Exception {
    var reader = new LogReader(log);
    var text = new ByteArrayOutputStream();
    byte[] buffer = new byte[5_000];
    long at = reader.begin();
    assertEquals(0, at, log::toString);
    for (int count = reader.read(at, buffer); count > 0; count = reader.read(at, buffer)) {
      text.write(buffer, 0, count);
      at += count;
    }
    int number = 0;
    for (String line : text.toString(StandardCharsets.UTF_8).lines().toList()) {
      if (line.startsWith("last ")) {
        assertEquals("last " + number, line, () -> log + ", seed " + seed);
      } else {
        number++;
        String expected = "line " + number + " " + "x".repeat(LINE_BYTES);
        assertEquals(expected, line, () -> log + ", seed " + seed);
      }
    }
    assertTrue(number > 0, log::toString);
  }
}
