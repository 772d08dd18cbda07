package dev.kron.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Other pages in the same browser, other programs on the same machine: they get nothing. */
@ExtendWith(Dashboard.Shared.class)
class SecurityTest {
  /** What a page of another origin tries, each by its name; what came of it. */
  private static final String TRIES =
      """
      async ([target, job, style, picture]) => {
        const outcome = async (act) => {
          try {
            return await act();
          } catch (error) {
            return 'refused';
          }
        };
        const load = (tag, attributes) => new Promise((resolve) => {
          const element = Object.assign(document.createElement(tag), attributes);
          element.onload = () => resolve('loaded');
          element.onerror = () => resolve('refused');
          document.body.append(element);
        });
        const frame = () => new Promise((resolve) => {
          const element = document.createElement('iframe');
          element.onload = () => {
            try {
              resolve(element.contentWindow.location.href);
            } catch (error) {
              resolve(element.contentWindow.length === 0 ? 'refused' : 'framed');
            }
          };
          element.src = target;
          document.body.append(element);
        });
        const post = (path, mode) => fetch(target + path, {method: 'POST', mode, body: 'x'});
        return {
          page: await outcome(async () => (await fetch(target)).status),
          jobs: await outcome(async () => (await fetch(target + 'v1/jobs')).status),
          signed: await outcome(async () =>
              (await fetch(target + 'v1/jobs', {headers: {Authorization: 'Kron x'}})).status),
          session: await outcome(async () => (await post('session', 'cors')).status),
          blind: await outcome(async () => (await post(job, 'no-cors')).type),
          style: await load('link', {rel: 'stylesheet', href: style}),
          picture: await load('img', {src: picture}),
          frame: await frame(),
          opened: await outcome(async () => {
            const opened = open(target);
            await new Promise((resolve) => setTimeout(resolve, 500));
            return opened === null || opened.closed ? 'refused' : opened.document.title;
          }),
        };
      }
      """;

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private static HttpResponse<String> send(String method, String url, Map<String, String> headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url)).method(method, HttpRequest.BodyPublishers.noBody());
    headers.forEach(request::header);
    return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String origin(String link) {
    return link.substring(0, link.indexOf("/#"));
  }

  private static void answer(HttpExchange exchange, String type, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", type);
    exchange.sendResponseHeaders(200, body.length);
    try (var out = exchange.getResponseBody()) {
      out.write(body);
    }
  }

  private static HttpServer serve(int port) throws IOException {
    return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
  }

  @Test
  void whoSignsOutIsOut(Dashboard dashboard) throws Exception {
    try (Browsing.Window first = dashboard.operator();
        Browsing.Window second = dashboard.operator()) {
      Page page = first.page();
      page.locator("header .where button").click();
      assertThat(page.locator("dialog[open]")).containsText("in every other one");
      Dashboard.button(page, "Sign out").last().click();
      assertThat(page.locator("main")).containsText("The session is over");
      first.assertNoComplaint();
      assertThat(second.page().locator("main")).containsText("The session is over");
      page.reload();
      assertThat(page.locator("main")).containsText("The session is over");
    }
  }

  @Test
  void aLinkOpensOneWindow(Dashboard dashboard) throws Exception {
    String link = dashboard.daemon().link();
    try (Browsing.Window first = dashboard.browsing().window(link)) {
      first.open("#/jobs");
      assertFalse(first.page().url().contains("link="), first.page().url());
      try (Browsing.Window second = dashboard.browsing().window(link)) {
        second.page().getByText("kron dashboard").first().waitFor();
        assertEquals(0, second.page().getByText("nightly").count());
      }
      first.open("#/now");
      first.assertNoComplaint();
    }
  }

  @Test
  void theKeyCannotBeReadAndIsNeverSent(Dashboard dashboard) throws Exception {
    var sent = new CopyOnWriteArrayList<Request>();
    try (Browsing.Window window = dashboard.operator()) {
      Page page = window.page();
      page.onRequest(sent::add);
      window.open("#/jobs");
      assertEquals(
          "false undefined []",
          page.evaluate(
              """
              async () => {
                const opening = indexedDB.open('kron', 1);
                const database = await new Promise((resolve) => {
                  opening.onsuccess = () => resolve(opening.result);
                });
                const reading = database.transaction('session').objectStore('session').get('current');
                const {key} = await new Promise((resolve) => {
                  reading.onsuccess = () => resolve(reading.result);
                });
                const exported = await crypto.subtle.exportKey('raw', key).catch(() => undefined);
                const stored = Object.keys(localStorage).concat(Object.keys(sessionStorage));
                return `${key.extractable} ${exported} ${JSON.stringify(stored)}`;
              }
              """));
      assertEquals(List.of(), page.context().cookies());
      Request jobs =
          sent.stream().filter(it -> it.url().contains("/v1/jobs")).findFirst().orElseThrow();
      Map<String, String> headers = Map.of("Authorization", jobs.headers().get("authorization"));
      assertEquals(409, send("GET", jobs.url(), headers).statusCode(), "a replay");
      assertEquals(401, send("GET", jobs.url() + "&x=1", headers).statusCode());
      assertEquals(401, send("POST", jobs.url(), headers).statusCode());
      window.assertNoComplaint();
    }
  }

  @Test
  void aPageOfAnotherOriginReadsAndChangesNothing(Dashboard dashboard) throws Exception {
    String job = dashboard.path("quick").substring(1) + "/trigger";
    int runs = runs(dashboard);
    HttpServer other = serve(0);
    other.createContext("/", it -> answer(it, "text/html", "<!doctype html><title>evil</title>"));
    other.start();
    try (Browsing.Window window = dashboard.operator()) {
      window.open("#/jobs");
      BrowserContext context = window.page().context();
      Page evil = context.newPage();
      evil.navigate("http://127.0.0.1:" + other.getAddress().getPort());
      String target = window.page().evaluate("location.origin") + "/";
      String style = asset(window.page(), "link[rel=stylesheet]");
      String picture = asset(window.page(), "link[rel=icon]");
      @SuppressWarnings("unchecked")
      var found = (Map<String, Object>) evil.evaluate(TRIES, List.of(target, job, style, picture));
      Map<String, Object> expected =
          new TreeMap<>(
              Map.of(
                  "page", "refused",
                  "jobs", "refused",
                  "signed", "refused",
                  "session", "refused",
                  "style", "refused",
                  "picture", "refused",
                  "frame", "refused",
                  "opened", "refused"));
      found.remove("blind"); // what is sent blindly is refused by the daemon, which shows below
      assertEquals(expected, new TreeMap<>(found));
      assertEquals(runs, runs(dashboard));
      window.open("#/now");
    } finally {
      other.stop(0);
    }
  }

  /** The address of something that is there. */
  private static String asset(Page page, String element) throws Exception {
    String url = String.valueOf(page.locator(element).evaluate("it => it.href"));
    assertEquals(200, send("GET", url, Map.of()).statusCode());
    return url;
  }

  private static int runs(Dashboard dashboard) throws IOException {
    return dashboard
        .daemon()
        .get(dashboard.path("quick") + "/runs")
        .get("runs")
        .getAsJsonArray()
        .size();
  }

  @Test
  void codeThatGotIntoThePageDoesNotRun(Dashboard dashboard) throws Exception {
    try (Browsing.Window window = dashboard.operator()) {
      Page page = window.open("#/jobs");
      assertEquals(
          "refused refused refused undefined",
          page.evaluate(
              """
              async () => {
                const refused = (act) => {
                  try {
                    act();
                    return 'done';
                  } catch (error) {
                    return 'refused';
                  }
                };
                const markup = refused(() => {
                  document.body.innerHTML += '<img src=x onerror="window.stolen = 1">';
                });
                const evaluated = refused(() => setTimeout('window.stolen = 2', 0));
                const script = document.createElement('script');
                refused(() => script.append('window.stolen = 3'));
                document.head.append(script);
                const elsewhere = await fetch('http://127.0.0.1:9/').then(() => 'done', () => 'refused');
                await new Promise((resolve) => setTimeout(resolve, 50));
                return `${markup} ${evaluated} ${elsewhere} ${window.stolen}`;
              }
              """));
      window.forgive(); // the browser has told of each
    }
  }

  /** Its pages and requests come to the other one for as long as the daemon is away. */
  @Test
  void whoTakesThePortMeanwhileLearnsNothingOfUse(Dashboard dashboard) throws Exception {
    var heard = new CopyOnWriteArrayList<Map<String, String>>();
    try (var daemon = new DashboardDaemon()) {
      daemon.write("jobs", "@manual name=only command=/bin/true\n");
      daemon.start();
      String link = daemon.link();
      try (Browsing.Window window = dashboard.browsing().window(link)) {
        window.open("#/jobs");
        daemon.kill();
        HttpServer thief = serve(URI.create(link).getPort());
        thief.createContext(
            "/",
            it -> {
              var request = new TreeMap<String, String>();
              request.put("method", it.getRequestMethod());
              request.put("path", it.getRequestURI().toString());
              request.put(
                  "authorization",
                  String.valueOf(it.getRequestHeaders().getFirst("Authorization")));
              request.put(
                  "body", new String(it.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
              heard.add(request);
              answer(it, "application/json", "{\"epoch\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"time\":1}");
            });
        thief.start();
        DashboardDaemon.await(
            "a signed request to the other one",
            () ->
                heard.stream()
                    .anyMatch(it -> String.valueOf(it.get("authorization")).startsWith("Kron ")));
        thief.stop(0);
        daemon.start();
        DashboardDaemon.await("the port is its own again", () -> isBack(origin(link)));
        for (Map<String, String> request : heard) {
          String signature = String.valueOf(request.get("authorization"));
          assertEquals("", request.get("body"));
          if (signature.startsWith("Kron ")) {
            String url = origin(link) + request.get("path");
            Map<String, String> headers = Map.of("Authorization", signature);
            assertEquals(
                401, send(String.valueOf(request.get("method")), url, headers).statusCode());
          }
        }
        window.open("#/now");
        window.open("#/jobs");
        window.page().getByText("only").first().waitFor();
        assertTrue(heard.size() > 0);
      }
    }
  }

  private static boolean isBack(String origin) {
    try {
      return send("GET", origin + "/session", Map.of()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
