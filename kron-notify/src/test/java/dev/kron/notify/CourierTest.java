package dev.kron.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.kron.json.Json;
import dev.kron.json.JsonSyntaxException;
import dev.kron.notice.Channel;
import dev.kron.notice.Channel.Flavor;
import dev.kron.notice.Event;
import dev.kron.notice.Message;
import dev.kron.notice.NotifySpec;
import dev.kron.notice.Subject;
import dev.kron.notice.Word;
import dev.kron.notify.channel.Delivery;
import dev.kron.notify.channel.Ping;
import dev.kron.notify.channel.Receivers;
import dev.kron.notify.channel.Secrets;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A courier on a clock that the test drives, with a real receiver that comes and goes. */
class CourierTest {
  private final MemoryJournal journal = new MemoryJournal();
  private final List<String> received = Collections.synchronizedList(new ArrayList<>());
  private final Map<String, @Nullable String> reports = new HashMap<>();
  private final List<String> told = new ArrayList<>();
  private final List<String> lost = new ArrayList<>();
  private final Clock clock = new Clock();
  private HttpServer server;
  private int status = 200;
  private Outbox outbox = new Outbox(journal);
  private Courier courier = new Courier(outbox, new Receivers(() -> 0), clock, spec());

  private record Later(long nanos, Runnable task) {}

  private final class Clock implements Courier.World {
    private final PriorityQueue<Later> later =
        new PriorityQueue<>(Comparator.comparingLong(Later::nanos));
    private long nanos = 1;

    @Override
    public long nanos() {
      return nanos;
    }

    @Override
    public long wallMillis() {
      return nanos / 1_000_000;
    }

    @Override
    public void execute(String lane, Runnable task) {
      later.add(new Later(nanos, task));
    }

    @Override
    public void after(String lane, long millis, Runnable task) {
      later.add(new Later(nanos + millis * 1_000_000, task));
    }

    @Override
    public Secrets secrets(Channel channel) {
      String path = channel.type() == Channel.Type.PING ? "/ping/{name}" : "/" + channel.name();
      return new Secrets(
          Map.of(
              "URL",
              "http://127.0.0.1:" + server.getAddress().getPort() + path,
              "ROUTING_KEY",
              "key"));
    }

    @Override
    public List<String> output(String run, int lines) {
      return List.of("last words of " + run);
    }

    @Override
    public String host() {
      return "host1";
    }

    @Override
    public void report(String channel, @Nullable String problem) {
      reports.put(channel, problem);
      told.add(channel + " " + problem);
    }

    @Override
    public void gaveUp(String channel, String id, String problem) {
      lost.add(id);
    }

    /** Lets time pass. */
    void pass(Duration time) {
      long end = nanos + time.toNanos();
      for (Later next = later.peek(); next != null && next.nanos() <= end; next = later.peek()) {
        later.remove();
        nanos = Math.max(nanos, next.nanos());
        next.task().run();
      }
      nanos = end;
    }
  }

  private static Channel channel(String name, Channel.Type type) {
    return new Channel(name, type, List.of(), null, null, "p", 3, Flavor.HEALTHCHECKS, null);
  }

  private static NotifySpec spec() {
    return new NotifySpec(
        Map.of(
            "hook",
            channel("hook", Channel.Type.WEBHOOK),
            "pager",
            channel("pager", Channel.Type.PAGERDUTY),
            "life",
            channel("life", Channel.Type.PING)),
        List.of());
  }

  @BeforeEach
  void serve() throws IOException {
    serve(0);
    assertNull(outbox.open().problem());
  }

  private void serve(int port) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          if (status < 300) {
            received.add(exchange.getRequestURI() + " " + new String(body, StandardCharsets.UTF_8));
          }
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void take(String prefix, Word word, int count, String... channels) {
    List<Message> messages = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      var subject = new Subject(Subject.Kind.JOB, "/f:job" + i);
      var event = Event.builder(word, 5).endsRun(true).run("run" + i).exitCode(1).build();
      messages.add(new Message(prefix + i, "t" + i, false, subject, event, 5, List.of(channels)));
    }
    assertTrue(outbox.take(messages));
    courier.look();
  }

  private Json json(int index) throws JsonSyntaxException {
    return Json.parse(received.get(index).split(" ", 2)[1]);
  }

  @Test
  void aThousandFailuresAreOneMessageAndTheirRecoveryIsOne() throws JsonSyntaxException {
    take("f", Word.FAILED, 1000, "hook");
    clock.pass(Duration.ofSeconds(9));
    assertEquals(List.of(), received, "gathered");
    clock.pass(Duration.ofSeconds(2));
    assertEquals(1, received.size());
    assertEquals(1000, json(0).number("count"));
    assertEquals(50, json(0).list("messages").size());
    take("r", Word.RECOVERED, 1000, "hook");
    clock.pass(Duration.ofSeconds(11));
    assertEquals(2, received.size());
    assertEquals(1000, json(1).get("words").number("recovered"));
    assertFalse(json(0).text("id").equals(json(1).text("id")));
    assertEquals(0, outbox.waiting());
  }

  @Test
  void fiveAreSentOneByOneWithTheirOutput() throws JsonSyntaxException {
    take("f", Word.FAILED, 5, "hook");
    clock.pass(Duration.ofSeconds(11));
    assertEquals(5, received.size());
    assertEquals(List.of("last words of run0"), json(0).texts("output"));
  }

  @Test
  void aPagerGathersNothing() {
    take("f", Word.FAILED, 20, "pager");
    clock.pass(Duration.ofMillis(1));
    assertEquals(20, received.size());
  }

  @Test
  void aReceiverThatWasAwayForAnHourGetsAllButPingsOnceEach()
      throws IOException, JsonSyntaxException {
    int port = server.getAddress().getPort();
    server.stop(0);
    int messages = 0;
    for (int minute = 0; minute < 60; minute++) {
      take("m" + minute + "-", Word.FAILED, 3, "hook", "pager");
      messages += 3;
      courier.ping("life", new Ping("job", Ping.State.SUCCEEDED, 0));
      clock.pass(Duration.ofMinutes(1));
      if (minute == 30) { // the daemon dies as well, and another one begins
        restart();
      }
    }
    assertEquals(List.of(), received);
    assertEquals("no connection to 127.0.0.1", reports.get("hook"));
    assertTrue(outbox.log(1_000).stream().anyMatch(sent -> sent.tries() > 1));
    clock.pass(Duration.ofMinutes(2)); // the last ping is worth nothing any more
    serve(port);
    clock.pass(Duration.ofMinutes(20));
    assertEquals(0, outbox.waiting());
    var ids = new ArrayList<String>();
    int hooked = 0;
    int paged = 0;
    for (int i = 0; i < received.size(); i++) {
      String request = received.get(i);
      if (request.startsWith("/hook ")) {
        hooked += (int) json(i).number("count");
        ids.add(json(i).text("id"));
      } else {
        assertTrue(request.startsWith("/pager "), request);
        paged++;
      }
    }
    assertEquals(messages, hooked);
    assertEquals(messages, paged);
    assertEquals(ids.size(), List.copyOf(new java.util.HashSet<>(ids)).size(), "no id twice");
    assertTrue(ids.size() < 30, "most of it in lists: " + ids.size());
    assertNull(reports.get("hook"), "it works again");
    assertEquals(List.of(), lost);
  }

  private void restart() {
    outbox = new Outbox(journal);
    assertNull(outbox.open().problem());
    clock.later.clear();
    courier = new Courier(outbox, new Receivers(() -> 0), clock, spec());
    courier.look();
  }

  @Test
  void aListThatADaemonLeftIsNoPartOfAnother() throws JsonSyntaxException {
    status = 503;
    take("f", Word.FAILED, 8, "hook");
    clock.pass(Duration.ofSeconds(11));
    restart();
    take("g", Word.FAILED, 7, "hook");
    status = 200;
    clock.pass(Duration.ofMinutes(1));
    assertEquals(2, received.size());
    assertEquals(8, json(0).number("count"));
    assertEquals(7, json(1).number("count"));
    assertEquals(0, outbox.waiting());
  }

  @Test
  void aTroubleIsToldOnceUntilItIsAnother() {
    status = 503;
    take("f", Word.FAILED, 1, "hook");
    clock.pass(Duration.ofMinutes(10));
    assertEquals(List.of("hook 127.0.0.1 answered 503"), told);
    status = 500;
    clock.pass(Duration.ofMinutes(30));
    status = 200;
    clock.pass(Duration.ofMinutes(30));
    assertEquals(
        List.of("hook 127.0.0.1 answered 503", "hook 127.0.0.1 answered 500", "hook null"), told);
  }

  @Test
  void onesTroubleIsNotAnothers() {
    status = 410;
    take("f", Word.FAILED, 1, "hook");
    clock.pass(Duration.ofSeconds(11));
    status = 200;
    take("g", Word.FAILED, 1, "hook");
    clock.pass(Duration.ofSeconds(11));
    assertEquals(2, received.size(), "a message that was refused holds up no other");
  }

  @Test
  void whatIsNeverTakenIsGivenUpAfterDaysAndSaid() {
    status = 403;
    take("f", Word.FAILED, 1, "hook");
    clock.pass(Duration.ofDays(4));
    assertEquals(List.of("f0"), lost);
    assertEquals(0, outbox.waiting());
    Sent sent = outbox.log(1).getFirst();
    assertEquals(Sent.State.GIVEN_UP, sent.state());
    assertEquals("127.0.0.1 answered 403", sent.problem());
    assertEquals(1, outbox.lost());
  }

  @Test
  void aChannelThatIsGoneLosesWhatItHadAndSaysSo() {
    take("f", Word.FAILED, 1, "gone");
    clock.pass(Duration.ofSeconds(1));
    assertEquals(List.of("f0"), lost);
  }

  @Test
  void pingsKeepTheirOrderAndAreWorthAMinute() throws IOException {
    courier.ping("life", new Ping("a", Ping.State.STARTED, null));
    courier.ping("life", new Ping("a", Ping.State.SUCCEEDED, 0));
    clock.pass(Duration.ofSeconds(1));
    assertEquals(List.of("/ping/a/start ", "/ping/a "), received);
    int port = server.getAddress().getPort();
    server.stop(0);
    courier.ping("life", new Ping("b", Ping.State.FAILED, 3));
    clock.pass(Duration.ofSeconds(30));
    serve(port);
    clock.pass(Duration.ofSeconds(6));
    assertEquals("/ping/b/3 ", received.getLast(), "tried again within the minute");
  }

  @Test
  void patienceGrowsToAQuarterOfAnHour() {
    assertEquals(TimeUnit.SECONDS.toNanos(10), Courier.patience(1));
    assertEquals(TimeUnit.SECONDS.toNanos(20), Courier.patience(2));
    assertEquals(TimeUnit.MINUTES.toNanos(15), Courier.patience(9));
    assertEquals(TimeUnit.MINUTES.toNanos(15), Courier.patience(1_000_000));
  }

  @Test
  void aTestSaysAtOnceWhatBecameOfIt() {
    assertInstanceOf(
        Delivery.Delivered.class, courier.test(channel("hook", Channel.Type.WEBHOOK), "test-1"));
    assertTrue(received.getFirst().contains("no alarm"), received.getFirst());
    status = 500;
    assertInstanceOf(
        Delivery.Unreachable.class, courier.test(channel("hook", Channel.Type.WEBHOOK), "test-2"));
    assertEquals(0, outbox.waiting());
  }

  @Test
  void aTestOfAPagerIsAnIncidentThatBeginsAndEnds() throws JsonSyntaxException {
    assertInstanceOf(
        Delivery.Delivered.class, courier.test(channel("pager", Channel.Type.PAGERDUTY), "test-1"));
    List<String> actions = new ArrayList<>();
    for (String request : List.copyOf(received)) {
      Json body = Json.parse(request.substring(request.indexOf('{')));
      actions.add(body.text("event_action") + " " + body.text("dedup_key"));
      assertFalse(request.contains("krond is"), request);
    }
    assertEquals(List.of("trigger test-1", "resolve test-1"), actions);
  }
}
