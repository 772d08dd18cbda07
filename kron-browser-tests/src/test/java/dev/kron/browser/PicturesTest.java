package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Makes the pictures of docs/ from a daemon that has lived for a while: {@code
 * -Dkron.pictures=DIRECTORY -Dkron.pictures.socket=PATH}.
 */
@ExtendWith(Dashboard.Shared.class)
@EnabledIfSystemProperty(named = "kron.pictures", matches = ".+")
class PicturesTest {
  private final Path directory = Path.of(System.getProperty("kron.pictures", "."));
  private final Path socket = Path.of(System.getProperty("kron.pictures.socket", "krond.sock"));

  @Test
  void lightAndDark(Dashboard dashboard) throws Exception {
    take(dashboard, ColorScheme.LIGHT, "#/now", ".histogram", "dashboard-now.png");
    take(dashboard, ColorScheme.DARK, "#/timeline?span=1h", ".chart .row", "dashboard-dark.png");
    take(
        dashboard,
        ColorScheme.LIGHT,
        "#/timeline?span=1h",
        ".chart .row",
        "dashboard-timeline.png");
  }

  private void take(
      Dashboard dashboard, ColorScheme colours, String hash, String until, String file)
      throws Exception {
    String link = DashboardDaemon.link(socket);
    try (var window = dashboard.browsing().window(link, 1360, 660, colours)) {
      Page page = window.open(hash);
      assertThat(page.locator(until).first()).isVisible();
      page.screenshot(new Page.ScreenshotOptions().setPath(directory.resolve(file)));
    }
  }
}
