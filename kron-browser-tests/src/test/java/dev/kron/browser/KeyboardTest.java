package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Page;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The keyboard alone reaches everything. */
@ExtendWith(Dashboard.Shared.class)
class KeyboardTest {
  @Test
  void aSlashFindsJobsServicesAndRuns(Dashboard dashboard) throws Exception {
    String run = dashboard.trigger("quick");
    try (var window = dashboard.operator()) {
      Page page = window.open("#/now");
      page.keyboard().press("/");
      page.keyboard().type("night");
      assertThat(page.locator("#found [role=option]").first()).containsText("nightly");
      page.keyboard().press("Enter");
      assertThat(page.locator("h1")).hasText("nightly");
      page.keyboard().press("/");
      page.keyboard().type("web");
      assertThat(page.locator("#found [aria-selected=true]")).containsText("web");
      page.keyboard().press("Enter");
      assertThat(page.locator("h1")).hasText("web");
      page.keyboard().press("/");
      page.keyboard().type(run);
      assertThat(page.locator("#found [aria-selected=true]")).containsText(run);
      page.keyboard().press("Enter");
      assertThat(page.locator("h1")).hasText("quick");
      window.assertNoComplaint();
    }
  }

  @Test
  void keysLeadThroughThePagesAndTheTimeline(Dashboard dashboard) throws Exception {
    dashboard.awaitEnd(dashboard.trigger("quick"));
    try (var window = dashboard.operator()) {
      Page page = window.open("#/now");
      page.keyboard().press("?");
      assertThat(page.locator("dialog[open]")).containsText("find a job");
      page.keyboard().press("Escape");
      page.keyboard().press("g");
      page.keyboard().press("t");
      assertThat(page.locator(".chart")).isVisible();
      page.locator(".chart").focus();
      page.keyboard().press("-");
      assertThat(page).hasURL(Pattern.compile("span=1d"));
      page.keyboard().press("+");
      page.keyboard().press("+");
      assertThat(page).hasURL(Pattern.compile("span=3h"));
      page.keyboard().press("ArrowLeft");
      assertThat(page).hasURL(Pattern.compile("from="));
      page.keyboard().press("0");
      assertThat(page).not().hasURL(Pattern.compile("from="));
      page.keyboard().press("End");
      page.keyboard().press("Home");
      int rows = page.locator(".chart .row").count();
      for (int i = 0;
          i < rows && !page.locator("#timeline-said").innerText().startsWith("quick:");
          i++) {
        page.keyboard().press("ArrowDown");
      }
      assertThat(page.locator("#timeline-said"))
          .hasText(Pattern.compile("quick: \\d+ runs? between .*"));
      page.keyboard().press("]");
      assertThat(page.locator("#timeline-said"))
          .hasText(Pattern.compile("quick, succeeded from .*"));
      page.keyboard().press("Enter");
      assertThat(page).hasURL(Pattern.compile("#/run/"));
      window.assertNoComplaint();
    }
  }

  @Test
  void tabAndEnterOperateAJob(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      Page page = window.open(dashboard.hash("quick"));
      assertThat(Dashboard.button(page, "Run now")).isVisible();
      boolean found = false;
      for (int i = 0; i < 20 && !found; i++) {
        page.keyboard().press("Tab");
        found = page.evaluate("document.activeElement.textContent").equals("Run now");
      }
      assertTrue(found);
      page.keyboard().press("Enter");
      assertThat(page.locator("dialog[open] button:focus")).hasText("Run now");
      page.keyboard().press("Enter");
      assertThat(page.locator(".told a")).isVisible();
      window.assertNoComplaint();
    }
  }
}
