package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Pages follow what happens by themselves, also across a daemon that is killed. */
@ExtendWith(Dashboard.Shared.class)
class LiveTest {
  private static final LocatorAssertions.IsVisibleOptions PATIENT =
      new LocatorAssertions.IsVisibleOptions().setTimeout(30_000);

  @Test
  void whatHappensIsShownWithoutLoadingThePage(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      Page page = window.open("#/now");
      page.evaluate("window.sameDocument = true");
      String run = dashboard.trigger("backup");
      assertThat(page.locator("a[href='#/run/" + run + "']")).isVisible();
      dashboard.stop(run);
      assertThat(page.locator("a[href='#/run/" + run + "']")).hasCount(0);
      assertEquals(true, page.evaluate("window.sameDocument"));
      window.assertNoComplaint();
    }
  }

  @Test
  void aKilledDaemonIsAwayAndEveryPageGoesOnWhenItIsBack(Dashboard dashboard) throws Exception {
    String run = dashboard.trigger("backup");
    try (var window = dashboard.operator()) {
      Page page = window.open("#/run/" + run);
      assertThat(page.locator(".pane")).containsText("red");
      dashboard.daemon().kill();
      assertThat(page.locator(".banner")).isVisible(PATIENT);
      assertThat(page.locator(".banner")).containsText("The daemon is away since");
      assertThat(page.locator(".pane")).containsText("red");
      dashboard.daemon().start();
      assertThat(page.locator(".banner"))
          .hasCount(0, new LocatorAssertions.HasCountOptions().setTimeout(30_000));
      Dashboard.confirm(page, "Stop", "Stop");
      assertThat(page.locator(".lead")).containsText("stopped");
      window.forgive();
      window.open("#/jobs");
      assertThat(page.locator(".jobs .rows .row").first()).isVisible();
      Page after = window.open(dashboard.hash("quick"));
      Dashboard.confirm(after, "Run now", "Run now");
      window.assertNoComplaint();
    }
  }
}
