package dev.kron.browser;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import dev.kron.testing.SomebodyElse;
import java.io.IOException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * One daemon with lively jobs and services, and one browser, for all tests; they end with the last.
 */
final class Dashboard implements AutoCloseable {
  private static final String FILE = "shop";

  private static final String JOBS =
      """
      * * * * * @win(after,50s) @tz(America/New_York) name=tick description="Says so every minute" command="/bin/echo tick"
      0 3 * * 1-5 @tz(Europe/Paris) @win(around,90m) name=nightly command=/bin/true
      0 * * * * @win(after,50m) name=hourly command=/bin/true
      @manual name=backup shell=true then=verify command="for i in $(seq 1 400); do echo line $i; done; echo '<b onclick=alert(1)>no markup</b>'; printf '\\\\033[31mred\\\\033[0m\\\\n'; echo complaint >&2; sleep 300"
      @manual name=verify command=/bin/true
      @manual name=broken shell=true command="exit 7"
      @manual name=absent command=/usr/local/bin/a-program-that-nobody-has-installed
      @manual name=quick command="/bin/echo done"
      @manual name=leads then=fails command=/bin/true
      @manual name=fails retries=5 retrydelay=1h command=/bin/false
      0 12 * * * @win(after,1h) @avoid(hours=12,13) name=impossible command=/bin/true
      """;

  private static final String DATABASE = "[service]\nexec = \"exec sleep 100000\"\nshell = true\n";

  private static final String WEB =
      """
      [service]
      exec = "while :; do echo serving; sleep 1; done"
      shell = true

      [dependencies]
      requires = ["db"]
      """;

  private static final String WORKER =
      """
      [service]
      exec = "exit 1"
      shell = true

      [lifecycle]
      restart_delay_ms = 10
      max_restarts = 2
      """;

  private static final String NOTIFY =
      """
      [channel.ops]
      type = "email"
      to = ["ops@example.org"]
      server = "localhost:9"

      [[rule]]
      jobs = ["hourly"]
      on = ["failed"]
      notify = ["ops"]
      """;

  private final DashboardDaemon daemon;
  private final Browsing browsing;

  private Dashboard() throws Exception {
    daemon =
        SomebodyElse.isPossible()
            ? new DashboardDaemon("--reader-group", "nogroup")
            : new DashboardDaemon();
    daemon.write(FILE, JOBS);
    daemon.write(HostileTest.FILE, HostileTest.jobs(daemon.beside("hostile", HostileTest.OUTPUT)));
    daemon.write("db.toml", DATABASE);
    daemon.write("web.toml", WEB);
    daemon.write("worker.toml", WORKER);
    daemon.write("notify.toml", NOTIFY);
    daemon.start();
    browsing = new Browsing();
  }

  DashboardDaemon daemon() {
    return daemon;
  }

  Browsing browsing() {
    return browsing;
  }

  Browsing.Window operator() throws Exception {
    return browsing.window(daemon.link());
  }

  /** As an operator in a browser that lacks something. */
  Browsing.Window operatorWithout(String feature) throws Exception {
    return operatorAfter("delete globalThis." + feature);
  }

  /** An operator whose pages run a script of the test before any of their own. */
  Browsing.Window operatorAfter(String script) throws Exception {
    return browsing.windowAfter(daemon.link(), script);
  }

  String identity(String job) {
    return daemon.identity(FILE, job);
  }

  /** The path of a job in the API. */
  String path(String job) {
    return "/v1/jobs/" + DashboardDaemon.encoded(identity(job));
  }

  /** The address of a job's page. */
  String hash(String job) {
    return "#/job/" + DashboardDaemon.encoded(identity(job));
  }

  /** Begins a run when none goes on, and answers its id. */
  String trigger(String job) throws Exception {
    daemon.awaitApi(path(job), one -> one.get("activeRuns").getAsInt() == 0);
    return daemon.post(path(job) + "/trigger").get("runId").getAsString();
  }

  /** The id of a job's latest run. */
  String latest(String job) throws Exception {
    var runs = daemon.get(path(job) + "/runs?limit=1").getAsJsonArray("runs");
    return runs.get(0).getAsJsonObject().get("runId").getAsString();
  }

  void stop(String run) throws Exception {
    daemon.post("/v1/runs/" + run + "/stop?signal=KILL");
    awaitEnd(run);
  }

  void awaitEnd(String run) {
    daemon.awaitApi("/v1/runs/" + run, one -> one.get("state").getAsString().equals("ended"));
  }

  static Locator button(Page page, String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  /** Presses a button, and then the one in the question that follows; answers what was asked. */
  static String confirm(Page page, String name, String act) {
    button(page, name).click();
    Locator dialog = page.locator("dialog[open]");
    String asked = dialog.innerText();
    dialog
        .getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(act).setExact(true))
        .click();
    page.locator(".told").waitFor();
    return asked;
  }

  @Override
  public void close() throws IOException {
    browsing.close();
    daemon.close();
  }

  /** Hands the one of all tests to those that name it as a parameter. */
  static final class Shared implements ParameterResolver {
    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == Dashboard.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return context
          .getRoot()
          .getStore(ExtensionContext.Namespace.GLOBAL)
          .computeIfAbsent(Dashboard.class, key -> made(), Dashboard.class);
    }

    private static Dashboard made() {
      try {
        return new Dashboard();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
