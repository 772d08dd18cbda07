package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What each page shows, to those who see it and to those who have it read to them. */
@ExtendWith(Dashboard.Shared.class)
class EveryPageTest {
  @Test
  void nowSaysHowItIsInASentence(Dashboard dashboard) throws Exception {
    String failed = dashboard.trigger("broken");
    dashboard.awaitEnd(failed);
    String run = dashboard.trigger("backup");
    dashboard
        .daemon()
        .awaitApi("/v1/services/worker", one -> one.get("state").getAsString().equals("failed"));
    try (var window = dashboard.operator()) {
      Page page = window.open("#/now");
      assertThat(page.locator(".health")).containsText("Not healthy.");
      assertThat(page.locator(".health")).containsText("2 of 3 services up");
      assertThat(page.locator(".problems")).containsText("worker");
      assertThat(page.locator("[aria-labelledby=now-running]")).containsText("backup");
      assertThat(page.locator("[aria-labelledby=now-failing]"))
          .containsText(Pattern.compile("broken\\s*exit 7"));
      assertThat(page.locator("[aria-labelledby=now-next]")).containsText("nightly");
      assertThat(page.locator(".histogram"))
          .hasAttribute(
              "aria-label",
              Pattern.compile(
                  "[\\d,]+ starts in the next 24 hours; at most \\d+ in 15 minutes, at"
                      + " \\d\\d:\\d\\d; without windows it would be \\d+\\."));
      window.assertAccessible();
      window.assertNoComplaint();
    } finally {
      dashboard.stop(run);
    }
  }

  @Test
  void aJobTellsItsScheduleInWordsAndWhatItWillDo(Dashboard dashboard) throws Exception {
    dashboard.awaitEnd(dashboard.trigger("quick"));
    try (var window = dashboard.operator()) {
      Page page = window.open(dashboard.hash("nightly"));
      assertThat(page.locator("h1")).hasText("nightly");
      assertThat(page.locator("main"))
          .containsText(
              "Monday to Friday at 03:00 in Europe/Paris, at a second within 90 min around it.");
      assertThat(page.locator(".decisions tr")).hasCount(10);
      window.open(dashboard.hash("quick"));
      assertThat(page.locator("main")).containsText("Only when somebody asks for it.");
      assertThat(page.locator("main")).containsText("exit 0");
      assertThat(page.locator(".runs tbody tr").first()).containsText("by hand");
      assertThat(page.locator("main")).containsText("/bin/echo done");
      window.open(dashboard.hash("impossible"));
      assertThat(page.locator(".decisions")).containsText("unschedulable");
      window.assertNoComplaint();
    }
  }

  @Test
  void whyIsAnsweredByAClickOnADay(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      Page page = window.open(dashboard.hash("hourly"));
      page.locator(".calendar > :last-child").click();
      assertThat(page.locator("dialog[open] h2")).hasText("Why, hourly?");
      assertThat(page.locator("dialog[open]")).containsText("the next period is due at");
      window.assertAccessible();
      page.keyboard().press("Escape");
      assertThat(page.locator("dialog[open]")).hasCount(0);
      page.locator(".decisions button").first().click();
      assertThat(page.locator("dialog[open]")).containsText("uniform");
      window.assertNoComplaint();
    }
  }

  @Test
  void aRunShowsWhatItWritesAsItWritesAndNothingOfItIsMarkup(Dashboard dashboard) throws Exception {
    String run = dashboard.trigger("backup");
    try (var window = dashboard.operator()) {
      Page page = window.open("#/run/" + run);
      assertThat(page.locator(".pane")).containsText("<b onclick=alert(1)>no markup</b>");
      assertThat(page.locator(".pane .fg1")).hasText("red");
      assertThat(page.locator(".pane b")).hasCount(0);
      assertTrue(page.locator(".pane .line").count() < 120);
      page.getByLabel("Find in output").fill("line 17");
      assertThat(page.locator(".output-bar [role=status]")).hasText("1 of 11 lines");
      assertThat(page.locator(".pane .current")).hasText("line 17");
      Dashboard.button(page, "stderr").click();
      assertThat(page.locator(".pane")).containsText("complaint");
      assertThat(page.locator("main")).containsText("Somebody asked for it.");
      window.assertAccessible();
      String asked = Dashboard.confirm(page, "Stop", "Stop");
      assertTrue(asked.contains("is no failure"), asked);
      assertThat(page.locator(".lead")).containsText("stopped");
      window.assertNoComplaint();
    }
  }

  @Test
  void aDownloadHasEveryByte(Dashboard dashboard) throws Exception {
    String run = dashboard.trigger("quick");
    dashboard.awaitEnd(run);
    try (var window = dashboard.operator()) {
      Page page = window.open("#/run/" + run);
      assertThat(page.locator(".pane")).containsText("done");
      var download = page.waitForDownload(() -> Dashboard.button(page, "Download").click());
      assertEquals(
          "done\n",
          new String(
              download.createReadStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8));
      assertTrue(download.suggestedFilename().startsWith("quick-stdout-"));
      window.assertNoComplaint();
    }
  }

  @Test
  void theGraphSaysWhatItShows(Dashboard dashboard) throws Exception {
    dashboard
        .daemon()
        .awaitApi("/v1/services/web", one -> one.get("state").getAsString().equals("running"));
    dashboard
        .daemon()
        .awaitApi("/v1/services/worker", one -> one.get("state").getAsString().equals("failed"));
    try (var window = dashboard.operator()) {
      Page page = window.open("#/services");
      assertThat(page.locator(".graph"))
          .hasAttribute("aria-label", "3 services: 2 running and 1 failed. web requires db.");
      assertThat(page.locator(".graph .node.v-failed")).containsText("[X]");
      assertThat(page.locator(".list.services .rows .row")).hasCount(3);
      page.locator(".graph .node.v-failed").click();
      assertThat(page.locator("h1")).hasText("worker");
      window.open("#/service/web");
      assertThat(page.locator(".pane")).containsText("serving");
      assertThat(page.locator(".lead")).containsText("It requires db.");
      window.assertNoComplaint();
    }
  }

  @Test
  void eventsAreFilteredAsTheyHappen(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      Page page = window.open("#/events");
      assertThat(page.locator(".events .row").first()).isVisible();
      page.getByLabel("Filter events").fill("quick");
      String run = dashboard.trigger("quick");
      assertThat(page.locator(".events a[href='#/run/" + run + "']").first()).isVisible();
      assertThat(page.locator(".events")).not().containsText("serving");
      window.assertNoComplaint();
    }
  }

  @Test
  void allPagesHoldTheRulesInTheDarkAndOnAPhone(Dashboard dashboard) throws Exception {
    // A reason that is longer than a phone is wide stands on Now.
    dashboard.awaitEnd(dashboard.trigger("absent"));
    try (var window =
        dashboard.browsing().window(dashboard.daemon().link(), 390, 800, ColorScheme.DARK)) {
      for (String hash :
          List.of(
              "#/now",
              "#/timeline",
              "#/jobs",
              dashboard.hash("tick"),
              "#/services",
              "#/service/db",
              "#/events")) {
        Page page = window.open(hash);
        window.assertAccessible();
        assertEquals(
            390, ((Number) page.evaluate("document.documentElement.scrollWidth")).intValue(), hash);
      }
      window.assertNoComplaint();
    }
  }

  @Test
  void whatIsNotThereIsSaid(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      Page page = window.open("#/nothing");
      assertThat(page.locator("main")).containsText("There is no page");
      window.open("#/job/gone");
      assertThat(page.locator("main [role=alert]")).containsText("gone");
    }
  }
}
