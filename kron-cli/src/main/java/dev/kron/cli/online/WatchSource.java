package dev.kron.cli.online;

import dev.kron.cli.line.RefusedException;
import dev.kron.cli.output.Output;
import dev.kron.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The contents of pages, as the daemon has them; events are followed beside it. */
final class WatchSource implements AutoCloseable {
  private static final int EVENTS = 500;
  private static final int RUNS = 200;
  private static final int TAIL_BYTES = 64 * 1024;

  private final Api api;
  private final Deque<String> events = new ArrayDeque<>();
  private @Nullable Thread reader;
  private @Nullable EventStream stream;

  WatchSource(Api api) {
    this.api = api;
  }

  /** Something that writes a log. */
  sealed interface Subject {
    record OfJob(String identity, boolean suspended) implements Subject {}

    record OfRun(String runId, String identity) implements Subject {}

    record OfService(String name, String instance) implements Subject {}
  }

  /** Draws a page on something that is as wide as the terminal is then. */
  interface Drawing {
    void onto(Output out) throws IOException;
  }

  /**
   * @param subjects the subjects of its rows, if it has rows
   */
  record Page(String title, List<Subject> subjects, Drawing drawing) {
    static final Page EMPTY = new Page("", List.of(), out -> {});

    void draw(Output out) throws IOException {
      drawing.onto(out);
    }
  }

  /**
   * What a page shows.
   *
   * @param wanted says which rows, by their names
   */
  Page page(
      WatchScreen.View view,
      @Nullable Subject opened,
      WatchOrder order,
      Predicate<String> wanted,
      long now)
      throws IOException {
    follow();
    return switch (view) {
      case STATUS -> status();
      case JOBS -> jobs(order, wanted, now);
      case SERVICES -> services(order, wanted, now);
      case RUNS -> runs(wanted, now);
      case EVENTS -> new Page("", List.of(), this::events);
      case LOG -> opened == null ? Page.EMPTY : log(opened, now);
    };
  }

  private Page status() throws IOException {
    Json status = api.get(Api.path("status") + "?limit=5");
    return new Page(
        "",
        List.of(),
        out -> {
          StatusCommand.print(status, out);
          out.line();
          for (String event : newest().reversed()) {
            EventsCommand.print(Json.parse(event), out);
          }
        });
  }

  private static List<Json> chosen(
      List<Json> rows, String name, WatchOrder order, Predicate<String> wanted) {
    return order.sorted(rows.stream().filter(row -> wanted.test(row.text(name))).toList());
  }

  private static String title(String count, WatchOrder order) {
    return order.name().isEmpty() ? count : count + " " + order.name();
  }

  private Page jobs(WatchOrder order, Predicate<String> wanted, long now) throws IOException {
    List<Json> jobs = chosen(api.get(Api.path("jobs")).list("jobs"), "identity", order, wanted);
    List<Subject> subjects = new ArrayList<>(jobs.size());
    jobs.forEach(job -> subjects.add(new Subject.OfJob(job.text("identity"), job.is("suspended"))));
    return new Page(
        title(OnlineCommand.count(jobs.size(), "job", "jobs"), order),
        subjects,
        out -> JobsCommand.table(jobs, now).print(out));
  }

  private Page services(WatchOrder order, Predicate<String> wanted, long now) throws IOException {
    List<Json> services =
        chosen(
            api.get(Api.path("services") + "?usage=true").list("services"), "name", order, wanted);
    List<Subject> subjects = new ArrayList<>(services.size());
    for (Json service : services) {
      for (Json instance : service.list("instances")) {
        String id = instance.text("instance");
        subjects.add(
            new Subject.OfService(service.text("name"), id.substring(id.lastIndexOf('@') + 1)));
      }
    }
    return new Page(
        title(OnlineCommand.count(services.size(), "service", "services"), order),
        subjects,
        out -> ServicesCommand.table(services, now).print(out));
  }

  private Page runs(Predicate<String> wanted, long now) throws IOException {
    List<Json> runs =
        chosen(
            api.get(Api.path("runs") + "?limit=" + RUNS).list("runs"),
            "identity",
            WatchOrder.AS_LISTED,
            wanted);
    List<Subject> subjects = new ArrayList<>(runs.size());
    runs.forEach(
        run -> subjects.add(new Subject.OfRun(run.text("runId", ""), run.text("identity"))));
    return new Page("the last", subjects, out -> RunsCommand.table(runs, now).print(out));
  }

  private Page log(Subject subject, long now) throws IOException {
    return switch (subject) {
      case Subject.OfJob(String identity, boolean _) -> {
        for (Json run : api.get(Api.path("jobs", identity, "runs") + "?limit=20").list("runs")) {
          if (!run.get("runId").isNull() && !run.get("startedAt").isNull()) {
            yield ofRun(run, now);
          }
        }
        yield text("log of " + OnlineCommand.nameOf(identity), "it has never run");
      }
      case Subject.OfRun(String runId, String _) ->
          runId.isEmpty()
              ? text("", "nothing was started for this period")
              : ofRun(api.get(Api.path("runs", runId)), now);
      case Subject.OfService(String name, String instance) ->
          text(
              "log of " + name,
              tail(
                  Api.path("services", name, "logs")
                      + "?"
                      + Api.parameter("instance", instance)
                      + "&tail="
                      + TAIL_BYTES));
    };
  }

  private Page ofRun(Json run, long now) throws IOException {
    String title =
        "log of "
            + OnlineCommand.nameOf(run.text("identity"))
            + ", "
            + Instants.clock(run.second("startedAt"), now)
            + ", "
            + OnlineCommand.how(run);
    var text = new StringBuilder();
    for (String stream : List.of("stdout", "stderr")) {
      text.append(
          tail(Api.path("runs", run.text("runId"), "logs", stream) + "?tail=" + TAIL_BYTES));
    }
    return text(title, text.isEmpty() ? "nothing is captured of it so far" : text.toString());
  }

  /** The end of a log, from the begin of a line on. */
  private String tail(String path) throws IOException {
    try (InputStream in = api.open(path)) {
      byte[] bytes = in.readAllBytes();
      String text = new String(bytes, StandardCharsets.UTF_8);
      int line = bytes.length < TAIL_BYTES ? -1 : text.indexOf('\n');
      return text.substring(line + 1);
    }
  }

  private static Page text(String title, String text) {
    String[] lines = text.split("\n");
    return new Page(
        title,
        List.of(),
        out -> {
          for (String line : lines) {
            out.line(line);
          }
        });
  }

  /** The action of a key for a row; null if there is none. */
  @Nullable WatchAction action(char key, Subject subject) throws IOException {
    return WatchAction.of(api, key, subject);
  }

  /** Performs an action; returns the daemon's answer. */
  String perform(WatchAction action) throws IOException {
    return api.post(action.path()).text("message");
  }

  private List<String> newest() {
    synchronized (events) {
      return new ArrayList<>(events);
    }
  }

  private void events(Output out) throws IOException {
    for (String event : newest()) {
      EventsCommand.print(Json.parse(event), out);
    }
  }

  /** Follows the daemon's events, at the beginning and when the daemon is back. */
  private void follow() throws IOException {
    Thread present = reader;
    if (present == null || !present.isAlive()) {
      synchronized (events) {
        events.clear();
      }
      EventStream opened = new EventStream(api, Api.path("events") + "?follow=true", "0", true);
      stream = opened;
      reader = Thread.ofVirtual().start(() -> read(opened));
    }
  }

  private void read(EventStream from) {
    try {
      for (String event = from.next(); event != null; event = from.next()) {
        synchronized (events) {
          if (events.size() == EVENTS) {
            events.removeFirst();
          }
          events.addLast(event);
        }
      }
    } catch (IOException | RefusedException e) {
      // The daemon is gone; the next look begins anew.
    }
  }

  @Override
  public void close() {
    try {
      if (stream != null) {
        stream.close();
      }
    } catch (IOException e) {
      // It was gone already.
    }
  }
}
