package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonArray;
import com.microsoft.playwright.Page;
import dev.kron.testing.SomebodyElse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every button, as an operator and as somebody who may only look. */
@ExtendWith(Dashboard.Shared.class)
class ActionsTest {
  /** What somebody gets who asks from the browser's own console, without a button. */
  static final String ASKED_BY_HAND =
      """
      async path => {
        const names = performance.getEntriesByType('resource').map(one => one.name);
        const {request} = await import(names.find(name => name.includes('/connection/connection-')));
        return request('POST', path).then(() => 200, error => error.status);
      }
      """;

  @Test
  void aJobIsRunAndStopped(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      Page page = window.open(dashboard.hash("backup"));
      String asked = Dashboard.confirm(page, "Run now", "Run now");
      assertTrue(asked.contains("verify will run too"), asked);
      assertThat(page.locator("main")).containsText("Running");
      asked = Dashboard.confirm(page, "Stop", "Stop");
      assertTrue(
          asked.contains("1 run will be sent TERM") && asked.contains("verify will not follow"),
          asked);
      assertThat(page.locator(".runs .t-stopped").first()).hasText("stopped");
      window.assertNoComplaint();
    }
  }

  @Test
  void aJobIsSuspendedResumedAndMuted(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      Page page = window.open(dashboard.hash("hourly"));
      Dashboard.confirm(page, "Suspend", "Suspend");
      assertThat(page.locator("main")).containsText("it is not started until it is resumed");
      assertTrue(dashboard.daemon().get(dashboard.path("hourly")).get("suspended").getAsBoolean());
      Dashboard.button(page, "Resume").click();
      assertThat(Dashboard.button(page, "Suspend")).isVisible();
      assertEquals(
          false, dashboard.daemon().get(dashboard.path("hourly")).get("suspended").getAsBoolean());
      Dashboard.confirm(page, "Mute", "Mute");
      assertThat(page.locator(".told")).containsText("muted until");
      assertThat(page.locator("main")).containsText("nobody is told of its failures");
      assertThat(Dashboard.button(page, "Mute")).hasCount(0);
      Dashboard.button(page, "Unmute").click();
      assertThat(page.locator(".told")).containsText("unmuted");
      assertThat(Dashboard.button(page, "Mute")).isVisible();
      assertThat(Dashboard.button(page, "Unmute")).hasCount(0);
      window.assertNoComplaint();
    }
  }

  @Test
  void aWaitingAttemptIsCancelled(Dashboard dashboard) throws Exception {
    dashboard.trigger("leads");
    dashboard.daemon().awaitApi(dashboard.path("fails"), one -> !one.get("retryAt").isJsonNull());
    try (var window = dashboard.operator()) {
      Page page = window.open(dashboard.hash("fails"));
      String asked = Dashboard.confirm(page, "Cancel the waiting attempt", "Cancel it");
      assertTrue(asked.contains("The run stays failed"), asked);
      window.assertNoComplaint();
    }
    JsonArray runs =
        dashboard.daemon().get(dashboard.path("fails") + "/runs").getAsJsonArray("runs");
    assertEquals("failed", runs.get(0).getAsJsonObject().get("result").getAsString());
  }

  @Test
  void aServiceIsStoppedStartedRestartedAndSignalledAndTheQuestionNamesWhatElseIsAffected(
      Dashboard dashboard) throws Exception {
    dashboard
        .daemon()
        .awaitApi("/v1/services/web", one -> one.get("state").getAsString().equals("running"));
    try (var window = dashboard.operator()) {
      Page page = window.open("#/service/db");
      String asked = Dashboard.confirm(page, "Restart", "Restart");
      assertTrue(asked.contains("web requires it"), asked);
      awaitState(dashboard, "web", "running");
      window.open("#/service/db");
      Dashboard.confirm(page, "Signal", "Send");
      asked = Dashboard.confirm(page, "Stop", "Stop");
      assertTrue(asked.contains("web requires it and is stopped first"), asked);
      awaitDown(dashboard, "db");
      awaitDown(dashboard, "web");
      window.open("#/service/web");
      asked = Dashboard.confirm(page, "Start", "Start");
      assertTrue(asked.contains("db will be started first"), asked);
      awaitState(dashboard, "web", "running");
      assertThat(page.locator(".lead").first()).containsText("running");
      window.assertNoComplaint();
    }
  }

  private static void awaitState(Dashboard dashboard, String service, String state) {
    dashboard
        .daemon()
        .awaitApi("/v1/services/" + service, one -> one.get("state").getAsString().equals(state));
  }

  private static void awaitDown(Dashboard dashboard, String service) {
    dashboard
        .daemon()
        .awaitApi(
            "/v1/services/" + service,
            one ->
                List.of("exited", "inactive", "failed").contains(one.get("state").getAsString()));
  }

  @Test
  void aReaderSeesEverythingAndNoButton(Dashboard dashboard) throws Exception {
    assumeTrue(SomebodyElse.isPossible());
    String run = dashboard.trigger("backup");
    try (var window = dashboard.browsing().window(dashboard.daemon().readersLink())) {
      for (String hash : List.of(dashboard.hash("backup"), "#/run/" + run, "#/service/web")) {
        Page page = window.open(hash);
        assertThat(page.locator(".actions").first()).containsText("You may look, not change");
        assertThat(page.locator(".actions button")).hasCount(0);
      }
      Page page = window.open("#/now");
      assertThat(page.locator("[aria-labelledby=now-running]")).containsText("backup");
      window.assertNoComplaint();
      for (String act :
          List.of(
              dashboard.path("backup") + "/stop",
              dashboard.path("quick") + "/trigger",
              "/v1/runs/" + run + "/stop",
              "/v1/services/web/stop",
              "/v1/reload",
              "/v1/shutdown",
              "/v1/dashboard/links")) {
        assertEquals(403, page.evaluate(ASKED_BY_HAND, act), act);
      }
    } finally {
      dashboard.stop(run);
    }
  }
}
