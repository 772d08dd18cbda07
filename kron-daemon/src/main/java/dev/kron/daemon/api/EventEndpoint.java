package dev.kron.daemon.api;

import dev.kron.daemon.log.EventRing;
import dev.kron.daemon.log.EventRing.Event;
import dev.kron.json.JsonWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The daemon's events as server-sent events. Each has an id, and a reader that comes back with the
 * last id continues after it. A reader that is too slow for the ring is told how many events it
 * lost, and disconnected.
 */
final class EventEndpoint {
  /** Those who follow at the same time. */
  static final int FOLLOWERS = 256;

  private static final int AT_ONCE = 256;
  private static final long HEARTBEAT_MILLIS = 10_000;

  private final Supplier<Control> control;
  private final EventRing events;
  private final Semaphore places = new Semaphore(FOLLOWERS);
  private final AtomicReferenceArray<@Nullable Rendered> rendered =
      new AtomicReferenceArray<>(EventRing.CAPACITY);

  EventEndpoint(Supplier<Control> control, EventRing events) {
    this.control = control;
    this.events = events;
  }

  void follow(Exchange exchange) throws IOException {
    String job = exchange.parameter("job");
    String identity =
        job == null ? null : JobNames.named(Exchange.await(control.get().look()), job).identity();
    String since = exchange.header("Last-Event-ID");
    long after = position(since == null ? exchange.parameter("after") : since);
    boolean follow = exchange.parameter("follow") == null || exchange.flag("follow");
    if (!places.tryAcquire()) {
      throw new ApiProblem(503, FOLLOWERS + " readers follow events already");
    }
    String type = "text/event-stream";
    try (OutputStream out = follow ? exchange.following(type) : exchange.body(200, type)) {
      stream(out, after, identity, follow);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      places.release();
    }
  }

  /**
   * The event after which to begin: that of the id, or the last one.
   *
   * @return 0 for everything that is still in the ring
   */
  long position(@Nullable String id) {
    if (id == null) {
      return events.last();
    }
    if (id.equals("0")) {
      return 0;
    }
    int dash = id.lastIndexOf('-');
    try {
      long number = Long.parseLong(id.substring(dash + 1));
      // The id is of an earlier daemon; all events of this one are later.
      return dash > 0 && id.substring(0, dash).equals(events.epoch())
          ? Math.clamp(number, 0, events.last())
          : 0;
    } catch (NumberFormatException e) {
      throw new ApiProblem(400, "\"" + id + "\" is not the id of an event; 0 means all there are");
    }
  }

  void stream(OutputStream out, long after, @Nullable String identity, boolean follow)
      throws IOException, InterruptedException {
    long position = after;
    boolean begun = false;
    comment(out, "krond");
    while (true) {
      boolean closed = events.isClosed(); // asked before reading, so that the last events are sent
      List<Event> next = events.after(position, AT_ONCE);
      long lost = next.isEmpty() ? 0 : next.getFirst().number() - position - 1;
      if (lost > 0 && position > 0) {
        gap(out, lost);
        if (begun) {
          return; // too slow: it may come back with its last id
        }
      }
      for (Event event : next) {
        if (identity == null || identity.equals(event.text("identity"))) {
          out.write(rendered(event));
        }
        position = event.number();
      }
      if (!next.isEmpty()) {
        out.flush();
        begun = true;
      } else if (!follow || closed) {
        return;
      } else {
        events.await(position, HEARTBEAT_MILLIS);
        if (events.last() <= position) {
          comment(out, "");
        }
      }
    }
  }

  /** An event as it is sent; made once, for the first reader that needs it. */
  private static final class Rendered {
    final long number;
    final byte[] bytes;

    Rendered(long number, byte[] bytes) {
      this.number = number;
      this.bytes = bytes;
    }
  }

  private byte[] rendered(Event event) throws IOException {
    int slot = (int) (event.number() % EventRing.CAPACITY);
    Rendered present = rendered.get(slot);
    if (present == null || present.number != event.number()) {
      present = new Rendered(event.number(), render(event));
      rendered.set(slot, present);
    }
    return present.bytes;
  }

  private byte[] render(Event event) throws IOException {
    var out = new ByteArrayOutputStream(400);
    line(out, "id: " + events.id(event.number()));
    line(out, "event: " + event.name());
    out.writeBytes("data: ".getBytes(StandardCharsets.US_ASCII));
    var json = new JsonWriter(out::write, JsonWriter.Layout.COMPACT);
    json.beginObject();
    json.member("id", events.id(event.number()));
    json.member("time", Instant.ofEpochMilli(event.atMillis()).toString());
    json.member("level", event.level());
    json.member("component", event.component());
    json.member("event", event.name());
    List<@Nullable Object> pairs = event.pairs();
    for (int i = 0; i < pairs.size(); i += 2) {
      Object value = pairs.get(i + 1);
      if (value != null) {
        json.name(String.valueOf(pairs.get(i))).any(value);
      }
    }
    json.endObject();
    json.handOn();
    line(out, "\n");
    return out.toByteArray();
  }

  private static void gap(OutputStream out, long lost) throws IOException {
    line(out, "event: lost");
    line(out, "data: {\"event\":\"lost\",\"count\":" + lost + "}\n");
    out.flush();
  }

  /** Sends a comment, which shows whether the reader is still there. */
  private static void comment(OutputStream out, String text) throws IOException {
    line(out, ": " + text + "\n");
    out.flush();
  }

  private static void line(OutputStream out, String text) throws IOException {
    out.write((text + "\n").getBytes(StandardCharsets.UTF_8));
  }
}
