package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.microsoft.playwright.Page;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What the timeline draws is, to the second, what {@code kron next}, {@code kron runs} and {@code
 * kron why} print. A job has a past with every outcome there is, and no period is due while the
 * test looks: its minutes are those around the present one.
 */
@ExtendWith(Dashboard.Shared.class)
class DrawnTimelineTest {
  private static final String FILE = "shop";
  private static final Duration HOUR = Duration.ofHours(1);

  /** Between two periods, and from the last to now. */
  private static final Duration STEP = Duration.ofMinutes(5);

  /** What a pixel of an hour's picture may be off by. */
  private static final long TOLERANCE_MILLIS = 1_000;

  /** In the order of the text alternative. */
  private static final List<String> NOT_SUCCEEDED =
      List.of(
          "failed",
          "timed_out",
          "not_started",
          "unknown",
          "stopped",
          "missed",
          "skipped",
          "unschedulable");

  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm").withZone(ZoneId.of("Europe/Paris"));

  /** What history entries have beside their times, oldest first. */
  private static final List<String> PAST =
      List.of(
          "'Outcome':'executed','ExitCode':0,'Success':true",
          "'Outcome':'executed','ExitCode':7,'Success':false",
          "'Outcome':'executed','ExitCode':137,'Signal':9,'Success':false",
          "'Outcome':'executed','ExitCode':143,'Success':false,'Reason':'timed"
              + " out','Cause':'timed-out'",
          "'Outcome':'executed','ExitCode':143,'Success':false,'Reason':'by"
              + " root','Cause':'stopped-by-operator'",
          "'Outcome':'executed','ExitCode':null,'Success':false,'Stage':'exec','Reason':'no such"
              + " file','Cause':'not-started'",
          "'Outcome':'executed','ExitCode':null,'Success':false,'Reason':'nobody"
              + " knows','Cause':'unknown'",
          "'Outcome':'skipped','ExitCode':null,'Reason':'run x is still"
              + " active','Cause':'still-active'",
          "'Outcome':'missed','ExitCode':null,'Reason':'900 s"
              + " late','Cause':'late','LateSeconds':900,'DeadlineSeconds':60",
          "'Outcome':'unschedulable','ExitCode':null,'Reason':'no second was"
              + " accepted','Cause':'no-candidate'");

  /** Every mark in a row's picture, in pixels. */
  private static final String DRAWN =
      """
      row => {
        const svg = row.querySelector('svg');
        const probe = svg.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'path'));
        const marks = [];
        for (const path of svg.querySelectorAll('path[data-outcome], path.f-window')) {
          for (const part of path.getAttribute('d').split(/(?=M)/)) {
            if (part === '' || part.includes('l4-5l4 5z')) {
              continue; // the wedge below what failed
            }
            probe.setAttribute('d', part);
            const {x, width} = probe.getBBox();
            marks.push({outcome: path.dataset.outcome ?? 'window', from: x, to: x + width});
          }
        }
        probe.remove();
        return JSON.stringify({width: Number(svg.getAttribute('width')), marks});
      }
      """;

  private final Instant minute = Instant.now().truncatedTo(ChronoUnit.MINUTES);
  private DashboardDaemon daemon;

  /** Something drawn or told: from when to when, or the middle of a mark twice. */
  private record Mark(String outcome, Instant from, Instant to) {
    private boolean isNear(Mark other) {
      return outcome.equals(other.outcome)
          && Duration.between(from, other.from).abs().toMillis() <= TOLERANCE_MILLIS
          && Duration.between(to, other.to).abs().toMillis() <= TOLERANCE_MILLIS;
    }
  }

  /** The nominal time of a period of the past, 0 the oldest. */
  private Instant period(int number) {
    return minute.minus(STEP.multipliedBy(PAST.size() - number));
  }

  /** A zone in which it is about noon, so that the hours around now are one day. */
  private ZoneId zone() {
    int ahead = 12 - minute.atOffset(ZoneOffset.UTC).getHour();
    return ZoneId.of("Etc/GMT" + (ahead == 0 ? "" : (ahead > 0 ? "-" : "+") + Math.abs(ahead)));
  }

  @BeforeEach
  void aJobWithAPast() throws IOException {
    daemon = new DashboardDaemon();
    String minutes =
        IntStream.range(0, PAST.size())
            .mapToObj(i -> String.valueOf(period(i).atOffset(ZoneOffset.UTC).getMinute()))
            .collect(Collectors.joining(","));
    daemon.write(
        FILE,
        "%s * * * * @tz(%s) @win(after,3m) name=past command=/bin/true\n"
            .formatted(minutes, zone()));
    daemon.start();
    String path = "/v1/jobs/" + DashboardDaemon.encoded(daemon.identity(FILE, "past"));
    String run = daemon.post(path + "/trigger").get("runId").getAsString();
    daemon.awaitApi("/v1/runs/" + run, one -> one.get("state").getAsString().equals("ended"));
    daemon.kill();
    rewrite(run);
    daemon.start();
  }

  @AfterEach
  void end() throws IOException {
    daemon.close();
  }

  /** Gives the job its past: all that the state file says of times. */
  private void rewrite(String run) throws IOException {
    Path file;
    try (Stream<Path> files = Files.list(daemon.state())) {
      file = files.filter(it -> it.toString().endsWith(".json")).findFirst().orElseThrow();
    }
    Path history = daemon.state().resolve("history"); // written beside the loop: perhaps not yet
    if (Files.exists(history)) {
      Files.move(history, history.resolveSibling("before"));
    }
    JsonObject state = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    var entries = new JsonArray();
    for (int i = 0; i < PAST.size(); i++) {
      JsonObject entry = JsonParser.parseString("{" + PAST.get(i) + "}").getAsJsonObject();
      boolean ran = entry.get("Outcome").getAsString().equals("executed");
      Instant chosen = period(i).plusSeconds(20 + i);
      entry.addProperty("PeriodID", period(i).toString());
      entry.addProperty("NominalTime", period(i).toString());
      entry.addProperty("ChosenTime", chosen.toString());
      entry.addProperty("CompletedAt", chosen.plusSeconds(30 + 5L * i).toString());
      if (ran) {
        entry.addProperty("StartedAt", chosen.plusMillis(40).toString());
        entry.addProperty("RunID", run.substring(0, run.length() - 1) + (char) ('a' + i));
        entry.addProperty("Attempt", 1);
      }
      entries.add(entry);
      state.addProperty("LastHandledPeriodID", period(i).toString());
      state.addProperty("LastOutcome", entry.get("Outcome").getAsString());
      state.addProperty("LastChosenTime", chosen.toString());
      state.addProperty("LastNominalTime", period(i).toString());
    }
    state.add("History", entries);
    state.addProperty("Since", minute.minus(HOUR).toString());
    Files.writeString(file, state.toString());
  }

  @Test
  void whatIsDrawnIsWhatTheCommandsSay(Dashboard dashboard) throws Exception {
    JsonArray runs = daemon.kron("runs", "past", "--limit", "100").getAsJsonArray("runs");
    JsonArray next =
        daemon
            .kron("next", "past", "--file", daemon.config().resolve(FILE).toString())
            .getAsJsonArray("decisions");
    JsonArray why =
        daemon
            .kron("why", "past", minute.atZone(zone()).toLocalDate().toString())
            .getAsJsonArray("periods");
    try (var window = dashboard.browsing().window(daemon.link())) {
      Instant from = minute.minus(HOUR);
      List<Mark> drawn = drawn(window.open("#/timeline?span=1h&from=" + from), from);
      assertSame(runs.asList().stream().map(DrawnTimelineTest::ofRun).toList(), drawn);
      assertSame(ofWhy(why, from, minute), drawn);
      assertThat(window.page().locator(".chart .row svg"))
          .hasAttribute("aria-label", sentence(runs, next));

      List<Mark> ahead = drawn(window.open("#/timeline?span=1h&from=" + minute), minute);
      Instant end = minute.plus(HOUR);
      List<JsonObject> decided =
          next.asList().stream()
              .map(JsonElement::getAsJsonObject)
              .filter(one -> time(one, "windowStart").isBefore(end))
              .toList();
      assertSame(
          decided.stream()
              .map(one -> new Mark("second", time(one, "dueTime"), time(one, "dueTime")))
              .toList(),
          ahead.stream().filter(mark -> mark.outcome.equals("second")).toList());
      assertSame(
          decided.stream()
              .map(one -> new Mark("window", time(one, "windowStart"), time(one, "windowEnd")))
              .toList(),
          ahead.stream().filter(mark -> mark.outcome.equals("window")).toList());
      assertEquals(decided.size(), ofWhy(why, minute, end).size());
      window.assertNoComplaint();
    }
  }

  /** One to one, whatever the order. */
  private static void assertSame(List<Mark> told, List<Mark> drawn) {
    assertTrue(!told.isEmpty());
    List<Mark> left = new ArrayList<>(drawn);
    for (Mark mark : told) {
      Mark found = left.stream().filter(mark::isNear).findFirst().orElse(null);
      assertTrue(found != null, () -> mark + " is not drawn: " + drawn);
      left.remove(found);
    }
    assertEquals(List.of(), left, "drawn, and nobody says so");
  }

  private static Instant time(JsonObject of, String name) {
    return Instant.parse(of.get(name).getAsString());
  }

  /** A run or a period as it has to be drawn. */
  private static Mark ofRun(JsonElement element) {
    JsonObject run = element.getAsJsonObject();
    String result = run.get("result").getAsString();
    if (run.get("runId").isJsonNull()) {
      return new Mark(result, time(run, "chosenTime"), time(run, "chosenTime"));
    }
    return new Mark(result, time(run, "startedAt"), time(run, "completedAt"));
  }

  /** The same by the periods of an answer to why. */
  private static List<Mark> ofWhy(JsonArray periods, Instant from, Instant to) {
    List<Mark> marks = new ArrayList<>();
    for (JsonElement element : periods) {
      JsonObject one = element.getAsJsonObject();
      Instant nominal = time(one, "nominalTime");
      if (!nominal.isBefore(from) && nominal.isBefore(to)) {
        JsonElement run = one.get("run");
        marks.add(
            run == null || run.isJsonNull()
                ? new Mark(one.get("verdict").getAsString(), nominal, nominal)
                : ofRun(run));
      }
    }
    return marks;
  }

  /** What the row's picture shows, as times. */
  private static List<Mark> drawn(Page page, Instant begin) {
    assertThat(page.locator(".chart .row")).hasCount(1);
    String told = (String) page.locator(".chart .row").evaluate(DRAWN);
    JsonObject picture = JsonParser.parseString(told).getAsJsonObject();
    double millisPerPixel = HOUR.toMillis() / picture.get("width").getAsDouble();
    List<Mark> marks = new ArrayList<>();
    for (JsonElement one : picture.getAsJsonArray("marks")) {
      JsonObject mark = one.getAsJsonObject();
      String outcome = mark.get("outcome").getAsString();
      double from = mark.get("from").getAsDouble();
      double to = mark.get("to").getAsDouble();
      // Outlines lie within their bar, windows a pixel around theirs, signs around a second.
      double inset =
          switch (outcome) {
            case "not_started", "unknown" -> 0.75;
            case "window" -> -1;
            case "skipped", "missed", "unschedulable", "second" -> (from - to) / 2;
            default -> 0;
          };
      marks.add(
          new Mark(
              outcome,
              begin.plusMillis(Math.round((from - inset) * millisPerPixel)),
              begin.plusMillis(Math.round((to + inset) * millisPerPixel))));
    }
    return marks;
  }

  /** The picture's text alternative, made of what the commands say. */
  private static Pattern sentence(JsonArray runs, JsonArray next) {
    Map<String, Long> counts =
        runs.asList().stream()
            .collect(
                Collectors.groupingBy(
                    run -> run.getAsJsonObject().get("result").getAsString(),
                    Collectors.counting()));
    long ran = counts.values().stream().mapToLong(it -> it).sum();
    var words = new StringBuilder();
    for (String outcome : NOT_SUCCEEDED) {
      if (List.of("missed", "skipped", "unschedulable").contains(outcome)) {
        ran -= counts.getOrDefault(outcome, 0L);
      }
      words
          .append(", ")
          .append(counts.getOrDefault(outcome, 0L))
          .append(' ')
          .append(outcome.replace('_', ' '));
    }
    String due = CLOCK.format(time(next.get(0).getAsJsonObject(), "dueTime"));
    return Pattern.compile(
        "past: %d runs between .* and .*%s, next at (\\w+ )?%s".formatted(ran, words, due));
  }
}
