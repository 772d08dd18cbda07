package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Page;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Ten thousand jobs stay fluid: only what is in view is in the document. */
@ExtendWith(Dashboard.Shared.class)
class ManyJobsTest {
  private static final int JOBS = 10_000;

  @Test
  void tenThousandJobsAreFilteredSortedAndScrolled(Dashboard dashboard) throws Exception {
    try (var daemon = new DashboardDaemon()) {
      var lines = new StringBuilder();
      for (int i = 0; i < JOBS; i++) {
        lines.append(
            "0 %d %d 1 * @win(after,1h) name=job-%05d command=/bin/true\n"
                .formatted(i % 24, 1 + i % 28, i));
      }
      daemon.write("many", lines.toString());
      daemon.start();
      try (var window = dashboard.browsing().window(daemon.link())) {
        Page page = window.open("#/jobs");
        assertThat(page.locator(".controls")).containsText("10,000 jobs");
        assertThat(page.locator(".jobs .rows .row").first()).containsText("job-00000");
        assertTrue(page.locator(".jobs .rows .row").count() < 120);
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
        assertThat(page.locator(".jobs .rows .row").last()).containsText("job-09999");
        assertTrue(page.locator(".jobs .rows .row").count() < 120);
        page.getByLabel("Filter jobs").fill("job-0777");
        assertThat(page.locator(".jobs .rows .row")).hasCount(10);
        window.open("#/timeline?span=1h&from=2026-06-01T00:00:00Z");
        assertThat(page.locator("main")).containsText("Nothing ran in this time");
        page.getByLabel("empty rows (10,000)").check();
        assertThat(page.locator(".chart .row").first()).containsText("job-00000");
        page.evaluate("scrollTo(0, 170000)");
        assertThat(page.locator(".chart .row").first()).containsText("job-0");
        assertThat(page.locator(".chart .name", new Page.LocatorOptions().setHasText("job-05000")))
            .isVisible();
        assertTrue(page.locator(".chart .row").count() < 120);
        window.assertNoComplaint();
      }
    }
  }
}
