package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Page;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whatever jobs are called, hold and print is text, and the page stays usable. */
@ExtendWith(Dashboard.Shared.class)
class HostileTest {
  /** The name of a krontab. */
  static final String FILE = "<img src=x onerror=alert(1)>\u202e'&%2f#?;${7}";

  private static final String TEXT = "<b>\u202e\u2066<img src=//evil.example/x onerror=alert(1)>";

  /**
   * A job that prints a megabyte on one line, markup, sequences that title windows, make links and
   * fill clipboards, marks of direction, NUL and what is no UTF-8.
   */
  static final String JOBS =
      """
      @manual name=constructor description="%1$s" env="X=%1$s" shell=true command="cat %2$s"
      @manual name=a/-/b/ description="javascript:alert(1)" command="/bin/echo '%1$s'"
      """;

  static String jobs(String output) {
    return JOBS.formatted(TEXT, output);
  }

  /** What the job prints. */
  static final String OUTPUT =
      "<script>alert(1)</script><img src=//evil.example/y onerror=alert(1)>\n"
          + "\u001b]0;title\u0007\u001b]8;;javascript:alert(1)\u0007link\u001b]8;;\u0007"
          + "\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u001b[1;31mred\u001b[0m\u001bPq#0\u001b\\ end\n"
          + "\u202eright to left\u2066 \u200e\u061c nul:\0 bell:\u0007 \u009b31m csi\n"
          + "x".repeat(1 << 20)
          + "tail of the long line\n"
          + "\u001b[38;5;".repeat(20_000)
          + "\n"
          + "\u001b[3".repeat(20_000)
          + "\nlast line\n";

  private static String identity(Dashboard dashboard, String job) {
    return dashboard.daemon().identity(FILE, job);
  }

  private static String hash(Dashboard dashboard, String job) {
    return "#/job/" + DashboardDaemon.encoded(identity(dashboard, job));
  }

  /** Nothing but what the page itself is made of. */
  static void assertNothingButText(Page page, String where) {
    assertEquals(
        List.of(),
        page.evaluate(
            """
            () => [...document.querySelectorAll('img, script:not([src]), iframe, object, embed, b, i:not([class])')]
                .map(one => one.outerHTML)
                .concat([...document.querySelectorAll('a:not(svg a)')].map(one => one.href)
                    .filter(href => !href.startsWith(location.origin)))
            """),
        where);
    assertEquals(true, page.title().contains("kron"), page.title());
  }

  @Test
  void namesDescriptionsAndEnvironmentsAreText(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      for (String job : List.of("constructor", "a/-/b/")) {
        Page page = window.open(hash(dashboard, job));
        assertThat(page.locator("h1")).hasText(job);
        assertThat(page.locator("main")).containsText(FILE);
        assertNothingButText(page, job);
      }
      Page page = window.page();
      assertThat(page.locator("main")).containsText("javascript:alert(1)");
      window.open(hash(dashboard, "constructor"));
      assertThat(page.locator("main")).containsText("<img src=//evil.example/x");
      for (String hash :
          List.of(
              "#/now",
              "#/jobs?filter=constructor",
              "#/jobs?group=" + DashboardDaemon.encoded(TEXT),
              "#/timeline?by=file",
              "#/timeline?filter=" + DashboardDaemon.encoded(TEXT),
              "#/services?filter=" + DashboardDaemon.encoded(TEXT),
              "#/events")) {
        window.open(hash);
        assertNothingButText(page, hash);
      }
      window.open("#/jobs?filter=constructor");
      assertThat(page.locator(".jobs .rows .row")).hasCount(1);
      page.locator(".jobs .rows .row a").first().click();
      assertThat(page.locator("h1")).hasText("constructor");
      page.keyboard().press("/");
      page.keyboard().type("constructor");
      assertThat(page.locator("kron-search [role=option]").first()).containsText("constructor");
      assertNothingButText(page, "search");
      page.keyboard().press("Escape");
      window.assertNoComplaint();
      // Addresses that lead nowhere say so, as text.
      for (String nowhere : List.of("#/" + TEXT, "#/job/" + TEXT, "#/run/" + TEXT, "#/%")) {
        page.evaluate("hash => { location.hash = hash; }", nowhere);
        assertThat(page.locator("main .problem")).isVisible();
        assertNothingButText(page, nowhere);
      }
      window.forgive(); // the daemon knows no such job, and the browser notes that
    }
  }

  @Test
  void outputIsTextHoweverMuchOfItIsOnOneLine(Dashboard dashboard) throws Exception {
    String run =
        dashboard
            .daemon()
            .post(
                "/v1/jobs/"
                    + DashboardDaemon.encoded(identity(dashboard, "constructor"))
                    + "/trigger")
            .get("runId")
            .getAsString();
    dashboard.awaitEnd(run);
    try (var window = dashboard.operator()) {
      Page page = window.open("#/run/" + run);
      assertThat(page.locator(".pane")).containsText("last line");
      assertNothingButText(page, "the end of the output");
      page.getByLabel("Find in output").fill("tail of the long");
      assertThat(page.locator(".output-bar [role=status]")).containsText("1 of 1 line");
      assertThat(page.locator(".pane .current").first()).isVisible();
      page.getByLabel("Find in output").fill("right to left");
      assertThat(page.locator(".pane"))
          .containsText("⟨202E⟩right to left⟨2066⟩ ⟨200E⟩⟨061C⟩ nul:␀ bell:␇ ⟨009B⟩31m csi");
      assertThat(page.locator(".pane")).containsText("<script>alert(1)</script><img src=//evil");
      assertThat(page.locator(".pane")).containsText("linkred end");
      assertThat(page.locator(".pane .fg1.bold")).hasText("red");
      assertTrue(page.locator(".pane .line").count() < 120);
      assertNothingButText(page, "the beginning of the output");
      Dashboard.button(page, "Wrap").click();
      Dashboard.button(page, "Follow").click();
      assertThat(page.locator(".pane .line").last()).hasText("last line");
      window.open("#/now");
      assertThat(page.locator(".health")).isVisible();
      window.assertNoComplaint();
    }
  }
}
