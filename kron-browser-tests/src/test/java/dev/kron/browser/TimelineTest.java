package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the timeline draws is what {@code kron next}, {@code runs} and {@code why} say. */
@ExtendWith(Dashboard.Shared.class)
class TimelineTest {
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneId.of("Europe/Paris"));

  private static Locator row(Page page, Dashboard dashboard, String job) {
    return page.locator(".chart .row[data-job='" + dashboard.identity(job) + "']");
  }

  /** What a row's marks say when one steps through them by the keyboard. */
  private static List<String> said(Page page, String job) {
    page.locator(".chart").focus();
    page.keyboard().press("Home");
    while (!page.locator("#timeline-said").innerText().startsWith(job + ":")) {
      page.keyboard().press("ArrowDown");
    }
    List<String> said = new ArrayList<>();
    String last = page.locator("#timeline-said").innerText();
    while (true) {
      page.keyboard().press("]");
      page.evaluate(
          "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
      String next = page.locator("#timeline-said").innerText();
      if (next.equals(last)) {
        return said;
      }
      said.add(next);
      last = next;
    }
  }

  @Test
  void comingSecondsAreThoseOfTheDecisions(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      Page page = window.open("#/timeline?span=8h");
      assertThat(row(page, dashboard, "hourly")).isVisible();
      List<String> drawn =
          said(page, "hourly").stream().filter(text -> text.contains("runs at")).toList();
      List<String> decided = new ArrayList<>();
      for (JsonElement one :
          dashboard
              .daemon()
              .get(dashboard.path("hourly") + "/decisions?count=3")
              .getAsJsonArray("decisions")) {
        decided.add(CLOCK.format(Instant.parse(one.getAsJsonObject().get("due").getAsString())));
      }
      assertTrue(drawn.size() >= 3, drawn.toString());
      for (int i = 0; i < 3; i++) {
        assertTrue(drawn.get(i).contains(decided.get(i)), drawn + " " + decided);
      }
      window.assertNoComplaint();
    }
  }

  @Test
  void barsAreTheRunsAndAClickOpensThem(Dashboard dashboard) throws Exception {
    String failed = dashboard.trigger("broken");
    dashboard.awaitEnd(failed);
    try (var window = dashboard.operator()) {
      Page page = window.open("#/timeline?span=1h");
      Locator row = row(page, dashboard, "broken");
      int runs =
          dashboard.daemon().get(dashboard.path("broken") + "/runs").getAsJsonArray("runs").size();
      assertThat(row.locator("svg"))
          .hasAttribute(
              "aria-label",
              Pattern.compile("broken: " + runs + " runs? between .* and .*, " + runs + " failed"));
      List<String> said = said(page, "broken");
      assertEquals(runs, said.size());
      JsonObject run = dashboard.daemon().get("/v1/runs/" + failed);
      String began = CLOCK.format(Instant.parse(run.get("startedAt").getAsString()));
      assertTrue(
          said.getLast().startsWith("broken, failed, exit 7 from " + began), said.toString());
      page.keyboard().press("Enter");
      assertThat(page).hasURL(Pattern.compile("#/run/" + failed));
      window.assertNoComplaint();
    }
  }

  @Test
  void anImpossiblePeriodIsCrossedAndWhySaysTheSame(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      Page page = window.open("#/timeline?span=3d");
      Locator row = row(page, dashboard, "impossible");
      assertThat(row.locator("path[data-outcome=unschedulable]").first()).isAttached();
      List<String> said = said(page, "impossible");
      assertTrue(
          said.stream().anyMatch(text -> text.startsWith("impossible, unschedulable at ")),
          said.toString());
      page.keyboard().press("Enter");
      assertThat(page.locator("dialog[open]")).containsText("it will not run");
      window.assertNoComplaint();
    }
  }

  @Test
  void itIsPannedZoomedAndFiltered(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      Page page = window.open("#/timeline");
      page.getByLabel("Filter jobs").fill("night");
      assertThat(page.locator(".chart .row")).hasCount(1);
      Dashboard.button(page, "Month").click();
      assertThat(page).hasURL(Pattern.compile("span=1M"));
      Dashboard.button(page, "Earlier").click();
      assertThat(page).hasURL(Pattern.compile("from="));
      Dashboard.button(page, "Now").click();
      Locator picture = page.locator(".chart .row .picture");
      var box = picture.boundingBox();
      page.mouse().move(box.x + 600, box.y + 10);
      page.mouse().down();
      page.mouse().move(box.x + 300, box.y + 12);
      page.mouse().up();
      assertThat(page).hasURL(Pattern.compile("from="));
      window.assertNoComplaint();
    }
  }
}
