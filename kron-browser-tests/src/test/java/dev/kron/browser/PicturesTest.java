package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/** Makes the pictures of docs/: {@code -Dkron.pictures=DIRECTORY}. */
@ExtendWith(Dashboard.Shared.class)
@EnabledIfSystemProperty(named = "kron.pictures", matches = ".+")
class PicturesTest {
  @Test
  void pictures(Dashboard dashboard) throws Exception {
    Path directory = Path.of(System.getProperty("kron.pictures"));
    String run = dashboard.trigger("backup");
    for (ColorScheme colours : new ColorScheme[] {ColorScheme.LIGHT, ColorScheme.DARK}) {
      try (var window =
          dashboard.browsing().window(dashboard.daemon().link(), 1200, 640, colours)) {
        String suffix = colours == ColorScheme.DARK ? "-dark.png" : ".png";
        take(window, "#/now", ".histogram", directory.resolve("dashboard-now" + suffix));
        take(
            window,
            "#/timeline?span=1h",
            ".chart .row",
            directory.resolve("dashboard-timeline" + suffix));
      }
    }
    dashboard.stop(run);
  }

  private static void take(Browsing.Window window, String hash, String until, Path file) {
    Page page = window.open(hash);
    assertThat(page.locator(until).first()).isVisible();
    page.screenshot(new Page.ScreenshotOptions().setPath(file));
  }
}
