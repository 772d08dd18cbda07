package dev.kron.daemon.fleet;

import dev.kron.fleet.Claim;
import dev.kron.fleet.NodeSession.Start;
import dev.kron.fleet.RowKey;
import dev.kron.job.FleetRules.Loss;
import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import dev.kron.schedule.Policy.Concurrency;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a node's journal: a checksum, a space, and a fact in JSON. Together they are a
 * {@link FleetMemory}.
 */
final class FleetLines {
  private @Nullable UUID node;
  private long number;
  private long writes;
  private long generation;
  private final List<Start> starts = new ArrayList<>();
  private final Map<String, FleetMemory.Given> open = new LinkedHashMap<>();

  /** A line that is not as it was written. */
  static final class DamagedException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedException(int line) {
      super("line " + line + " is damaged");
    }
  }

  static String node(UUID node) {
    return line(json -> json.member("node", node.toString()));
  }

  static String start(Start start) {
    return line(
        json -> json.member("start", start.number()).member("token", start.token().toString()));
  }

  /** The database has this start, and no earlier one. */
  static String joined(Start start, long generation, long writes) {
    return line(
        json ->
            json.member("joined", start.number())
                .member("token", start.token().toString())
                .member("generation", generation)
                .member("writes", writes));
  }

  static String given(FleetMemory.Given given, long writes) {
    Claim claim = given.claim();
    return line(
        json ->
            json.member("given", claim.run())
                .member("identity", claim.row().identity())
                .member("row", claim.row().node().toString())
                .member("kind", claim.kind().name())
                .member("period", claim.period().nominal())
                .member("attempt", claim.period().attempt())
                .member("window_ms", claim.period().windowStartMillis())
                .member("due_ms", claim.period().dueMillis())
                .member("definition", claim.terms().definition())
                .member("generation", claim.terms().generation())
                .member("latest_ms", claim.terms().latestMillis())
                .member("concurrency", claim.concurrency().name())
                .member("note", claim.note())
                .member("loss", given.loss().name())
                .member("writes", writes));
  }

  static String told(List<String> runs, long writes) {
    return line(json -> json.member("told", runs).member("writes", writes));
  }

  /** The members of a line. */
  private interface Members {
    void write(JsonWriter json) throws IOException;
  }

  private static String line(Members members) {
    String text =
        JsonWriter.text(
            json -> {
              json.beginObject();
              members.write(json);
              json.endObject();
            });
    return checksum(text) + " " + text;
  }

  private static String checksum(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().toHexDigits((int) crc.getValue());
  }

  /** All lines that a memory needs. */
  static List<String> of(FleetMemory memory) {
    List<String> lines = new ArrayList<>();
    lines.add(node(memory.node()));
    boolean first = true;
    for (Start start : memory.starts()) {
      lines.add(
          first && memory.generation() > 0
              ? joined(start, memory.generation(), memory.writes())
              : start(start));
      first = false;
    }
    memory.open().values().forEach(given -> lines.add(given(given, memory.writes())));
    return lines;
  }

  /** Null: there is nothing. */
  static @Nullable FleetMemory read(List<String> lines) throws DamagedException {
    var read = new FleetLines();
    for (int i = 0; i < lines.size(); i++) {
      try {
        read.take(lines.get(i));
      } catch (IOException | RuntimeException e) {
        throw new DamagedException(i + 1);
      }
    }
    UUID node = read.node;
    if (node == null) {
      if (lines.isEmpty()) {
        return null;
      }
      throw new DamagedException(1);
    }
    return new FleetMemory(node, read.number, read.starts, read.writes, read.generation, read.open);
  }

  private void take(String line) throws IOException {
    String text = line.substring(9);
    if (!line.startsWith(checksum(text) + " ")) {
      throw new IOException("checksum");
    }
    Json json = Json.parse(text);
    List<String> names = json.names();
    if (names.contains("node")) {
      node = UUID.fromString(json.text("node"));
    } else if (names.contains("start")) {
      Start start = start(json, "start");
      if (!starts.contains(start)) {
        starts.add(start); // a try that was repeated
      }
    } else if (names.contains("joined")) {
      Start confirmed = start(json, "joined");
      starts.removeIf(each -> each.number() <= confirmed.number());
      starts.addFirst(confirmed);
      generation = json.number("generation");
      writes = json.number("writes"); // may be less: the database went back, and that is settled
    } else if (names.contains("given")) {
      FleetMemory.Given given = given(json);
      open.put(given.claim().run(), given);
      writes = Math.max(writes, json.number("writes"));
    } else if (names.contains("told")) {
      json.texts("told").forEach(open::remove);
      writes = Math.max(writes, json.number("writes"));
    }
  }

  private Start start(Json json, String name) {
    var start = new Start(json.number(name), UUID.fromString(json.text("token")));
    number = Math.max(number, start.number());
    return start;
  }

  private static FleetMemory.Given given(Json json) {
    var claim =
        new Claim(
            new RowKey(json.text("identity"), UUID.fromString(json.text("row"))),
            json.text("given"),
            Claim.Kind.valueOf(json.text("kind")),
            new Claim.Period(
                json.number("period"),
                (int) json.number("attempt"),
                json.number("window_ms"),
                json.number("due_ms")),
            new Claim.Terms(
                json.text("definition"), json.number("generation"), json.number("latest_ms")),
            Concurrency.valueOf(json.text("concurrency")),
            json.text("note"));
    return new FleetMemory.Given(claim, Loss.valueOf(json.text("loss")));
  }
}
