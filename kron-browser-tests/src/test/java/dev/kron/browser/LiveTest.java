package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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

  /**
   * The stream of events is held back by the test until the page has looked, and has missed one.
   */
  @Test
  void whatHappensBeforeThePageCanHearOfItIsShownToo(Dashboard dashboard) throws Exception {
    String script =
        """
        delete globalThis.SharedWorker;
        const ask = fetch;
        const turn = new Promise(resolve => { globalThis.mayHear = resolve; });
        globalThis.fetch = async (address, options) => {
          if (String(address).startsWith('/v1/events')) {
            await turn;
          }
          return ask(address, options);
        };
        """;
    try (var window = dashboard.operatorAfter(script)) {
      Page page = window.open("#/now");
      String run = dashboard.trigger("backup");
      assertThat(page.locator("a[href='#/run/" + run + "']")).hasCount(0);
      page.evaluate("mayHear()");
      assertThat(page.locator("a[href='#/run/" + run + "']")).isVisible();
      dashboard.stop(run);
      window.assertNoComplaint();
    }
  }

  /** As in browsers that have no such thing, those of many phones among them. */
  @Test
  void withoutASharedWorkerPagesShareOneStreamAllTheSame(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operatorWithout("SharedWorker")) {
      Page first = window.open("#/now");
      assertEquals("undefined", first.evaluate("typeof SharedWorker"));
      Page second = window.tab("#/now");
      String run = dashboard.trigger("backup");
      assertThat(first.locator("a[href='#/run/" + run + "']")).isVisible();
      assertThat(second.locator("a[href='#/run/" + run + "']")).isVisible();
      first.close(); // it had the stream
      dashboard.stop(run);
      assertThat(second.locator("a[href='#/run/" + run + "']")).hasCount(0);
      Page third = window.tab("#/events");
      String again = dashboard.trigger("backup");
      assertThat(second.locator("a[href='#/run/" + again + "']")).isVisible();
      assertThat(third.locator("a[href='#/run/" + again + "']").first()).isVisible();
      dashboard.stop(again);
      window.assertNoComplaint();
    }
  }

  @Test
  void aKilledDaemonIsAwayAndEveryPageGoesOnWhenItIsBack(Dashboard dashboard) throws Exception {
    String run = dashboard.trigger("backup");
    try (var window = dashboard.operator()) {
      Page page = window.open("#/run/" + run);
      assertThat(page.locator(".pane")).containsText("red");
      Map<String, Page> tabs = new LinkedHashMap<>();
      for (String hash :
          List.of(
              "#/now",
              "#/timeline",
              "#/jobs",
              dashboard.hash("quick"),
              "#/services",
              "#/service/web",
              "#/events")) {
        tabs.put(hash, window.tab(hash));
      }
      dashboard.daemon().kill();
      tabs.put("the run", page);
      for (Page tab : tabs.values()) {
        tab.bringToFront();
        assertThat(tab.locator(".banner")).isVisible(PATIENT);
        assertThat(tab.locator(".banner")).containsText("The daemon is away since");
      }
      assertThat(page.locator(".pane")).containsText("red");
      dashboard.daemon().start();
      window.forgive();
      for (Page tab : tabs.values()) {
        tab.bringToFront();
        assertThat(tab.locator(".banner"))
            .hasCount(0, new LocatorAssertions.HasCountOptions().setTimeout(30_000));
        assertThat(tab.locator("main .problem")).hasText(new String[0]);
      }
      window.forgive(); // what could not be asked for while it was away
      page.bringToFront();
      Dashboard.confirm(page, "Stop", "Stop");
      assertThat(page.locator(".lead")).containsText("stopped");
      Page quick = shown(tabs, dashboard.hash("quick"));
      Dashboard.confirm(quick, "Run now", "Run now");
      String after = dashboard.latest("quick");
      assertThat(quick.locator(".runs a[href='#/run/" + after + "']").first()).isVisible();
      assertThat(shown(tabs, "#/events").locator("a[href='#/run/" + after + "']").first())
          .isVisible();
      assertThat(shown(tabs, "#/jobs").locator(".rows")).containsText("quick");
      assertThat(shown(tabs, "#/service/web").locator(".pane")).containsText("serving");
      assertThat(shown(tabs, "#/now").locator(".health")).isVisible();
      assertThat(shown(tabs, "#/timeline").locator(".chart .row").first()).isVisible();
      assertThat(shown(tabs, "#/services").locator(".graph .node").first()).isVisible();
      window.assertNoComplaint();
    }
  }

  private static Page shown(Map<String, Page> tabs, String hash) {
    Page tab = Objects.requireNonNull(tabs.get(hash), hash);
    tab.bringToFront();
    return tab;
  }
}
