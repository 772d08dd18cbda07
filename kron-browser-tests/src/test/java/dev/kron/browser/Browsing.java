package dev.kron.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The machine's own Chromium. Whatever a page says on its console, throws, or asks of another
 * origin is remembered, and fails the test that looks.
 */
final class Browsing implements AutoCloseable {
  private static final List<String> PLACES =
      List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
  private static final double PATIENCE_MILLIS = 60_000;

  /** Whether the page of an address is there, with what it has to show. */
  private static final String LOADED =
      """
      hash => {
        const page = document.querySelector('main').firstElementChild;
        const route = document.querySelector('kron-app').route;
        return location.hash === hash && page !== null && (!('params' in page)
            || (page.params === route && !page.loading && !page.isUpdatePending
                && (page.data ?? page.problem ?? page.events) !== undefined));
      }
      """;

  private static final String AXE = resource("/axe.min.js");

  /** What breaks a rule, with the rule and where. */
  private static final String VIOLATIONS =
      """
      async () => (await axe.run(document, {resultTypes: ['violations']})).violations.map(rule =>
          `${location.hash} ${rule.id}: ${rule.help} ${rule.nodes.slice(0, 3).map(node => node.html)}`)
      """;

  private final Playwright playwright;
  private final Browser browser;

  Browsing() {
    Path program =
        PLACES.stream().map(Path::of).filter(Files::isExecutable).findFirst().orElseThrow();
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(program)
                    .setChromiumSandbox(false));
  }

  private static String resource(String name) {
    try (InputStream in = AxeBuilder.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A window of its own, with a session of its own. */
  final class Window implements AutoCloseable {
    private final BrowserContext context;
    private final Page page;
    private final String origin;
    private final List<String> complaints = new ArrayList<>();

    private Window(String link, Browser.NewContextOptions look, String script) {
      context = browser.newContext(look.setTimezoneId("Europe/Paris").setLocale("en-GB"));
      context.addInitScript(script);
      context.setDefaultTimeout(PATIENCE_MILLIS);
      URI address = URI.create(link);
      origin = address.getScheme() + "://" + address.getAuthority();
      page = context.newPage();
      watch(page);
      page.navigate(link);
      page.locator("header nav").waitFor();
    }

    private void watch(Page watched) {
      watched.onConsoleMessage(
          message -> {
            if (message.type().equals("error") || message.type().equals("warning")) {
              complaints.add(message.text() + " at " + message.location());
            }
          });
      watched.onPageError(complaints::add);
      watched.onRequest(
          request -> {
            String url = request.url();
            if (!url.startsWith(origin) && !url.startsWith("blob:" + origin)) {
              complaints.add("a request to " + url);
            }
          });
    }

    /** Another page beside it, of the same session. */
    Page tab(String hash) {
      Page other = context.newPage();
      watch(other);
      other.navigate(origin + "/" + hash);
      other.waitForFunction(LOADED, hash);
      return other;
    }

    Page page() {
      return page;
    }

    /** Goes to a page of the dashboard, and waits until it shows something. */
    Page open(String hash) {
      page.evaluate("hash => { location.hash = hash; }", hash);
      page.waitForFunction(LOADED, hash);
      return page;
    }

    /** What was complained of so far is as it should be: the daemon was away. */
    void forgive() {
      complaints.clear();
    }

    void assertNoComplaint() {
      assertEquals(List.of(), complaints);
    }

    /** The rules of accessibility hold on what is shown. */
    void assertAccessible() {
      if (!page.evaluate("typeof axe").equals("object")) {
        page.evaluate(AXE); // once for all pages of the window, which are one document
      }
      assertEquals(List.of(), page.evaluate(VIOLATIONS));
    }

    @Override
    public void close() {
      context.close();
    }
  }

  Window window(String link) {
    return new Window(link, wide(), "");
  }

  /** A window whose pages run a script of the test before any of their own. */
  Window windowAfter(String link, String script) {
    return new Window(link, wide(), script);
  }

  private static Browser.NewContextOptions wide() {
    return new Browser.NewContextOptions().setViewportSize(1400, 900);
  }

  Window window(String link, int width, int height, ColorScheme colours) {
    return new Window(
        link,
        new Browser.NewContextOptions().setViewportSize(width, height).setColorScheme(colours),
        "");
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
