package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.kron.testing.SomebodyElse;
import dev.kron.testing.TestServer;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The page of a fleet: two daemons that are its nodes, and a real PostgreSQL. One of them is killed
 * while it runs something.
 */
@ExtendWith(Dashboard.Shared.class)
class FleetPageTest {
  private static final String LOST = "is held by a run on db that is lost since";
  private static final double LONG_MILLIS = 90_000;

  private static final String KRONTAB =
      """
      @manual name=hand command=/bin/true
      @manual name=long command="/bin/sleep 600"
      0 3 * * * @win(after,1h) name=night command=/bin/true
      0 4 * * * @win(after,1h) on="label:east,all" name=clean command=/bin/true
      """;

  /** What every client of the database may write into it. */
  private static final String HOSTILE =
      "<img src=//evil.example/x onerror=alert(1)>\u202e\u2066<b>javascript:alert(1)</b>";

  private static @Nullable EmbeddedPostgres postgres;
  private static @Nullable DashboardDaemon web;
  private static @Nullable DashboardDaemon db;

  /** Of what the killed node ran. */
  private static int pid;

  @BeforeAll
  static void twoNodesJoinAndOneIsKilledWhileItRunsSomething() throws Exception {
    EmbeddedPostgres database = TestServer.builder().start();
    postgres = database;
    DashboardDaemon first = node("web", "west", database.getPort());
    DashboardDaemon second = node("db", "east", database.getPort());
    web = first;
    db = second;
    var starts = List.of(starting(first), starting(second));
    for (CompletableFuture<Void> start : starts) {
      start.get();
    }
    for (DashboardDaemon node : List.of(first, second)) {
      node.awaitApi(
          "/v1/fleet",
          fleet ->
              fleet.get("database").isJsonObject()
                  && fleet.getAsJsonObject("database").get("liveNodes").getAsInt() == 2
                  && fleet.getAsJsonObject("database").get("jobs").getAsInt() == 4);
    }
    second.post("/v1/fleet/jobs/long/trigger?node=db");
    second.awaitApi(
        "/v1/jobs/" + DashboardDaemon.encoded("fleet:shop.kron:long"),
        job ->
            job.getAsJsonArray("active").asList().stream()
                .map(run -> run.getAsJsonObject().get("pid"))
                .anyMatch(
                    one -> {
                      pid = one.isJsonNull() ? 0 : one.getAsInt();
                      return pid > 0;
                    }));
    second.kill();
  }

  private static DashboardDaemon node(String name, String label, int port) throws IOException {
    DashboardDaemon daemon =
        SomebodyElse.isPossible()
            ? new DashboardDaemon("--reader-group", "nogroup")
            : new DashboardDaemon();
    daemon.write(
        "fleet.toml",
        """
        [fleet]
        url = "jdbc:postgresql://127.0.0.1:%s/postgres"
        profile = "fleet"
        node = "%s"
        labels = ["%s"]
        lease = "3s"
        """
            .formatted(port, name, label));
    daemon.secret("credentials", "fleet.env", "PGUSER=postgres\nPGPASSWORD=postgres\n");
    daemon.secret("fleet", "shop.kron", KRONTAB);
    return daemon;
  }

  private static CompletableFuture<Void> starting(DashboardDaemon daemon) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            daemon.start();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @AfterAll
  static void allEnd() throws IOException {
    if (pid > 0) {
      ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
    for (AutoCloseable one : new AutoCloseable[] {web, db}) {
      if (one instanceof DashboardDaemon daemon) {
        daemon.close();
      }
    }
    if (postgres != null) {
      postgres.close();
    }
  }

  private static DashboardDaemon present(@Nullable DashboardDaemon daemon) {
    if (daemon == null) {
      throw new IllegalStateException("no daemon");
    }
    return daemon;
  }

  private static String hash(String identity) {
    return "#/fleet/" + DashboardDaemon.encoded(identity);
  }

  private static Locator row(Page page, String table, String name) {
    return page.locator("[aria-label='" + table + "'] tbody tr")
        .filter(new Locator.FilterOptions().setHasText(name));
  }

  @Test
  void theFleetIsDirectedAndALostRunReleased(Dashboard dashboard) throws Exception {
    DashboardDaemon here = present(web);
    try (var window = dashboard.browsing().window(here.link())) {
      Page page = window.open("#/now");
      assertThat(page.locator("header nav")).containsText("Fleet");
      page.keyboard().press("g");
      page.keyboard().press("f");
      assertThat(page).hasURL(Pattern.compile("#/fleet$"));
      assertThat(page.locator(".health")).containsText("web takes part.");
      assertThat(row(page, "Nodes", "west"))
          .containsText(Pattern.compile("web\\s+this one\\s+\\[\\+\\] live\\s+west"));
      assertThat(row(page, "Jobs", "clean")).containsText("label:east,all");
      runsOnTheChosenNode(window);
      suspendsAndResumes(window, here);
      window.open("#/fleet");
      assertThat(page.locator(".fleet-picture"))
          .hasAttribute(
              "aria-label",
              Pattern.compile("The last hour, by node\\. web: 1 run between .* db: 1 run .*"));
      assertThat(page.locator(".problems"))
          .containsText(LOST, new LocatorAssertions.ContainsTextOptions().setTimeout(LONG_MILLIS));
      assertThat(row(page, "Nodes", "east")).containsText("[X] lost");
      assertThat(row(page, "Nodes", "east")).containsText("1 lost long");
      assertThat(row(page, "Jobs", "long")).containsText("held by a lost run");
      window.assertAccessible();
      readersSeeItAndChangeNothing(dashboard, here);
      String asked = Dashboard.confirm(page, "Release", "Release");
      assertTrue(asked.contains("Nobody knows whether run"), asked);
      assertThat(page.locator(".told")).containsText("it holds its job no longer");
      assertThat(Dashboard.button(page, "Release")).hasCount(0);
      window.open(hash("fleet:shop.kron:long"));
      assertThat(row(page, "Runs on all nodes", "db")).containsText("released");
      theLostNodeIsRemoved(window);
      window.assertNoComplaint();
    }
    itsMachineBecomesANewNode(dashboard, present(db));
  }

  private static void theLostNodeIsRemoved(Browsing.Window window) {
    Page page = window.open("#/fleet");
    assertThat(Dashboard.button(page, "Remove web")).hasCount(0);
    String asked = Dashboard.confirm(page, "Remove db", "Remove");
    assertTrue(asked.contains("its machine is off for good"), asked);
    assertThat(page.locator(".told")).containsText("never let in again");
    assertThat(row(page, "Nodes", "east")).containsText("[-] removed");
    assertThat(Dashboard.button(page, "Remove db")).hasCount(0);
  }

  private static void itsMachineBecomesANewNode(Dashboard dashboard, DashboardDaemon there)
      throws Exception {
    there.start();
    there.awaitApi(
        "/v1/fleet",
        fleet -> fleet.getAsJsonObject("node").get("state").getAsString().equals("out"));
    try (var window = dashboard.browsing().window(there.link())) {
      Page page = window.open("#/fleet");
      assertThat(page.locator(".health")).containsText("db takes no part.");
      assertThat(page.locator(".problems")).containsText("this node was removed from the fleet");
      window.assertAccessible();
      readersMakeNoNewNode(dashboard, there);
      String asked = Dashboard.confirm(page, "Make it a new node", "Make it a new node");
      assertTrue(asked.contains("under a UUID of its own"), asked);
      assertThat(page.locator(".health"))
          .containsText(
              "db takes part.",
              new LocatorAssertions.ContainsTextOptions().setTimeout(LONG_MILLIS));
      assertThat(Dashboard.button(page, "Make it a new node")).hasCount(0);
      assertThat(row(page, "Nodes", "this one")).containsText("[+] live");
      window.assertNoComplaint();
    }
  }

  private static void readersMakeNoNewNode(Dashboard dashboard, DashboardDaemon there)
      throws Exception {
    if (!SomebodyElse.isPossible()) {
      return;
    }
    try (var window = dashboard.browsing().window(there.readersLink())) {
      Page page = window.open("#/fleet");
      assertThat(page.locator(".problems")).containsText("this node was removed from the fleet");
      assertThat(page.locator("main button")).hasCount(0);
      window.assertNoComplaint();
      assertEquals(403, page.evaluate(ActionsTest.ASKED_BY_HAND, "/v1/fleet/adopt"));
    }
  }

  private static void runsOnTheChosenNode(Browsing.Window window) {
    Page page = window.open(hash("fleet:shop.kron:hand"));
    Dashboard.button(page, "Run now").click();
    Locator dialog = page.locator("dialog[open]");
    assertThat(dialog).containsText("concurrency counts in the whole fleet");
    dialog.locator("select").selectOption("web");
    dialog
        .getByRole(
            AriaRole.BUTTON, new Locator.GetByRoleOptions().setName("Run now").setExact(true))
        .click();
    assertThat(row(page, "Runs on all nodes", "web")).containsText("exit 0");
    assertThat(row(page, "Runs on all nodes", "web")).containsText("by hand");
    window.open("#/fleet");
    assertThat(row(page, "Jobs", "hand")).containsText("exit 0 on web");
  }

  private static void suspendsAndResumes(Browsing.Window window, DashboardDaemon here)
      throws IOException {
    Page page = window.open(hash("fleet:shop.kron:night"));
    String asked = Dashboard.confirm(page, "Suspend", "Suspend");
    assertTrue(asked.contains("in the whole fleet"), asked);
    assertThat(page.locator(".lead").first()).containsText("suspended");
    assertTrue(here.get("/v1/fleet/jobs/night").get("suspended").getAsBoolean());
    Dashboard.button(page, "Resume").click();
    assertThat(Dashboard.button(page, "Suspend")).isVisible();
    page.locator(".lead a").click();
    assertThat(page).hasURL(Pattern.compile("#/job/"));
    assertThat(page.locator("main")).containsText("It is a job of the fleet");
    assertThat(Dashboard.button(page, "Mute")).isVisible();
    assertThat(Dashboard.button(page, "Run now")).hasCount(0);
    assertThat(Dashboard.button(page, "Suspend")).hasCount(0);
    page.locator(".lead a").click();
    assertThat(page).hasURL(Pattern.compile("#/fleet/"));
  }

  private static void readersSeeItAndChangeNothing(Dashboard dashboard, DashboardDaemon here)
      throws Exception {
    if (!SomebodyElse.isPossible()) {
      return;
    }
    try (var window = dashboard.browsing().window(here.readersLink())) {
      Page page = window.open("#/fleet");
      assertThat(page.locator(".problems")).containsText(LOST);
      assertThat(page.locator("main button")).hasCount(0);
      window.open(hash("fleet:shop.kron:long"));
      assertThat(page.locator(".actions").first()).containsText("You may look, not change");
      assertThat(page.locator(".actions button")).hasCount(0);
      window.assertNoComplaint();
      for (String act :
          List.of(
              "/v1/fleet/jobs/night/suspend",
              "/v1/fleet/jobs/hand/trigger",
              "/v1/fleet/runs/any/release",
              "/v1/fleet/nodes/db/remove")) {
        assertEquals(403, page.evaluate(ActionsTest.ASKED_BY_HAND, act), act);
      }
    }
  }

  @Test
  void whateverOthersWriteIntoTheDatabaseIsTextInTheDarkAndOnAPhone(Dashboard dashboard)
      throws Exception {
    String identity = "fleet:shop.kron:" + HOSTILE.replace(':', ';');
    writes(identity);
    try (var window =
        dashboard.browsing().window(present(web).link(), 390, 800, ColorScheme.DARK)) {
      for (String hash : List.of("#/fleet", hash(identity), hash("fleet:shop.kron:night"))) {
        Page page = window.open(hash);
        HostileTest.assertNothingButText(page, hash);
        window.assertAccessible();
        assertEquals(
            390, ((Number) page.evaluate("document.documentElement.scrollWidth")).intValue(), hash);
      }
      Page page = window.open("#/fleet");
      assertThat(row(page, "Nodes", "<img src=//evil")).containsText("[X] lost");
      assertThat(row(page, "Nodes", "<img src=//evil")).containsText("5 s ahead");
      assertThat(row(page, "Jobs", "<img src=//evil")).containsText("in no living node’s files");
      assertThat(Dashboard.button(page, "Remove " + HOSTILE)).isVisible();
      assertThat(page.locator(".fleet-picture + .hint")).not().containsText("in the table");
      execute(FIFTY_NODES);
      window.open("#/now");
      window.open("#/fleet");
      assertThat(page.locator(".fleet-picture + .hint")).containsText("more nodes in the table");
      assertThat(row(page, "Nodes", "node-")).hasCount(50);
      assertEquals(
          390, ((Number) page.evaluate("document.documentElement.scrollWidth")).intValue());
      window.assertAccessible();
      execute(NO_MORE);
      window.open(hash(identity));
      page.locator("[aria-label='Runs on all nodes'] button").first().click();
      assertThat(page.locator("dialog[open] pre")).containsText("<img src=//evil");
      HostileTest.assertNothingButText(page, "a run");
      window.assertAccessible();
      window.assertNoComplaint();
    }
  }

  /** A node, a job and its last run, as a client writes them who is none of ours. */
  private static void writes(String identity) throws SQLException {
    EmbeddedPostgres database = postgres;
    if (database == null) {
      throw new IllegalStateException("no database");
    }
    UUID node = UUID.randomUUID();
    try (Connection connection = database.getPostgresDatabase().getConnection()) {
      update(
          connection,
          """
          INSERT INTO kron.node (node, name, labels, version, session, token, writes, renewal,
            lease, lease_until, clock_offset, joined)
          VALUES (?, ?, ARRAY[?, 'constructor'], ?, 1, gen_random_uuid(), 1, 1, 3000,
            kron.clock() - 60000, 5000, kron.clock() - 120000)
          """,
          node,
          HOSTILE,
          HOSTILE,
          HOSTILE);
      update(
          connection,
          """
          INSERT INTO kron.settled_run (run, identity, row_node, node, kind, period, attempt, state,
            outcome, reason, claimed, began, ended, output)
          VALUES (?, ?, '00000000-0000-0000-0000-000000000000', ?, 'START', 1700000000, 1, 'ended',
            'constructor', ?, kron.clock() - 90000, kron.clock() - 90000, kron.clock() - 80000, ?)
          """,
          HOSTILE,
          identity,
          node,
          HOSTILE,
          HOSTILE + "x".repeat(2000));
      update(
          connection,
          """
          INSERT INTO kron.job (identity, node, definition, fingerprint, place, generation, since,
            counts_from, claims_from, last_period, last_run)
          VALUES (?, '00000000-0000-0000-0000-000000000000', ?, '', ?, 1, 0, 0, 0, 1700000000, ?)
          """,
          identity,
          HOSTILE,
          HOSTILE,
          HOSTILE);
    }
  }

  /** A fleet of fifty is drawn as far as it can be, and its table has them all. */
  private static final String FIFTY_NODES =
      """
      INSERT INTO kron.node (node, name, labels, version, session, token, writes, renewal,
        lease, lease_until, clock_offset, joined)
      SELECT gen_random_uuid(), 'node-' || i, '{}', '1', 1, gen_random_uuid(), 1, 1, 3000,
        kron.clock() - 60000, 0, kron.clock() - 120000
      FROM generate_series(1, 50) i
      """;

  /** They are off for good; a row that vanished would mean that the database went back. */
  private static final String NO_MORE =
      "UPDATE kron.node SET removed = true WHERE name LIKE 'node-%'";

  private static void execute(String sql) throws SQLException {
    EmbeddedPostgres database = postgres;
    if (database == null) {
      throw new IllegalStateException("no database");
    }
    try (Connection connection = database.getPostgresDatabase().getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static void update(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      assertEquals(1, statement.executeUpdate());
    }
  }

  @Test
  void whereThereIsNoFleetThereIsNoEntry(Dashboard dashboard) throws Exception {
    try (var window = dashboard.operator()) {
      Page page = window.open("#/fleet");
      assertThat(page.locator("main")).containsText("This machine is in no fleet");
      window.open("#/now");
      assertThat(page.locator("header nav a")).hasCount(5);
      page.keyboard().press("g");
      page.keyboard().press("f");
      assertThat(page).hasURL(Pattern.compile("#/now$"));
      window.assertNoComplaint();
    }
  }
}
