package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.log.EventRing;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventEndpointTest {
  private final EventRing ring = new EventRing("life");
  private final EventEndpoint endpoint =
      new EventEndpoint(
          () -> {
            throw new IllegalStateException("nobody is asked");
          },
          ring);

  @AfterEach
  void close() {
    ring.close();
  }

  private void happen(int count) {
    for (int i = 0; i < count; i++) {
      ring.add(0, "info", "job", "run_ended", "identity", "a", "exit", i);
    }
  }

  private String stream(long after) throws Exception {
    var out = new ByteArrayOutputStream();
    endpoint.stream(out, after, null, false);
    return out.toString(StandardCharsets.UTF_8);
  }

  private static long count(String text, String part) {
    return text.split(part, -1).length - 1L;
  }

  /** The reader knows at once that it is connected, though nothing happens. */
  @Test
  void beginsWithAComment() throws Exception {
    assertEquals(": krond\n\n", stream(endpoint.position("0")));
  }

  /** Whoever follows has an event when it happens, and not when the next ones fill a buffer. */
  @Test
  void keepsNothingBack() throws Exception {
    happen(3);
    var kept = new AtomicInteger();
    var out =
        new FilterOutputStream(OutputStream.nullOutputStream()) {
          @Override
          public void write(byte[] bytes) {
            kept.addAndGet(bytes.length);
          }

          @Override
          public void flush() {
            kept.set(0);
          }
        };
    endpoint.stream(out, endpoint.position("0"), null, false);
    assertEquals(0, kept.get());
  }

  @Test
  void goesOnAfterTheEventThatAReaderSawLast() throws Exception {
    happen(5);
    assertEquals(5, count(stream(endpoint.position("0")), "event: run_ended"));
    String rest = stream(endpoint.position("life-3"));
    assertEquals(2, count(rest, "event: run_ended"));
    assertTrue(rest.contains("id: life-4\nevent: run_ended\ndata: {\"id\":\"life-4\""), rest);
    assertTrue(rest.contains("\"exit\":3}\n\n"), rest);
  }

  @Test
  void startsFromTheBeginningForAReaderOfAnEarlierDaemon() throws Exception {
    happen(3);
    assertEquals(3, count(stream(endpoint.position("before-900")), "event: run_ended"));
    assertEquals(0, count(stream(endpoint.position(null)), "event: run_ended"));
    assertThrows(ApiProblem.class, () -> endpoint.position("nonsense"));
  }

  @Test
  void tellsAReaderThatComesBackTooLateWhatItLost() throws Exception {
    happen(EventRing.CAPACITY + 10);
    String text = stream(endpoint.position("life-4"));
    assertTrue(text.contains("event: lost\ndata: {\"event\":\"lost\",\"count\":6}"), text);
    assertEquals(EventRing.CAPACITY, count(text, "event: run_ended"));
  }

  /** A reader that takes so long for its first events that the ring is over it meanwhile. */
  @Test
  void letsGoOfAReaderThatIsTooSlow() throws Exception {
    happen(1);
    var slow =
        new ByteArrayOutputStream() {
          @Override
          public void flush() {
            if (toString(StandardCharsets.UTF_8).contains("run_ended") && ring.last() < 10) {
              happen(EventRing.CAPACITY + 5);
            }
          }
        };
    endpoint.stream(slow, 0, null, true);
    String text = slow.toString(StandardCharsets.UTF_8);
    assertTrue(text.endsWith("{\"event\":\"lost\",\"count\":5}\n\n"), text);
    assertEquals(1, count(text, "event: run_ended"));
  }

  @Test
  void followsWhatHappensUntilTheDaemonLeaves() throws Exception {
    var out = new ByteArrayOutputStream();
    Thread reader =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    endpoint.stream(out, 0, "a", true);
                  } catch (Exception e) {
                    throw new AssertionError(e);
                  }
                });
    happen(3);
    ring.add(0, "info", "job", "run_ended", "identity", "another");
    long end = System.nanoTime() + 30_000_000_000L;
    while (count(out.toString(StandardCharsets.UTF_8), "event: run_ended") < 3) {
      assertTrue(System.nanoTime() < end, out::toString);
      Thread.onSpinWait();
    }
    ring.close();
    reader.join();
    assertFalse(out.toString(StandardCharsets.UTF_8).contains("another"));
  }
}
