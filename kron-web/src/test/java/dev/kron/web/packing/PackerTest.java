package dev.kron.web.packing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.web.packing.Packer.PackingException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PackerTest {
  @TempDir Path sources;

  @BeforeEach
  void aSmallPage() throws IOException {
    write(
        "index.html",
        """
        <html><head><link rel="stylesheet" href="style.css">
        <script type="module" src="js/main.js"></script>
        </head></html>
        """);
    write("style.css", "body { background: url('sky.png'), url(data:x) }");
    write("sky.png", "not really");
    write(
        "js/main.js",
        """
        import {html} from 'lit';
        import {one,
          two as three} from "./part.js";
        export * from './part.js';
        const later = () => import('./later.js');
        new SharedWorker(new URL('./worker.js', import.meta.url));
        """);
    write("js/part.js", "export const one = 1, two = 2;");
    write("js/later.js", "import './part.js';");
    write("js/worker.js", "onconnect = () => {};");
  }

  private void write(String name, String text) throws IOException {
    Path file = sources.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private Map<String, byte[]> pack() throws IOException {
    return Packer.pack(sources, Libraries.on(System.getProperty("java.class.path")));
  }

  private static String named(Map<String, byte[]> files, String beginning) {
    return files.keySet().stream().filter(it -> it.startsWith(beginning)).findFirst().orElseThrow();
  }

  private static String text(Map<String, byte[]> files, String beginning) throws IOException {
    byte[] compressed = files.get(named(files, beginning));
    try (var in = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void everyReferenceLeadsToANameWithAHash() throws IOException {
    Map<String, byte[]> files = pack();
    String main = text(files, "js/main-");
    String part = named(files, "js/part-");
    assertTrue(part.matches("js/part-[0-9a-f]{12}\\.js"), part);
    assertTrue(main.contains("from '/" + named(files, "lib/lit/index-") + "'"), main);
    assertTrue(main.contains("two as three} from \"/" + part + "\""), main);
    assertTrue(main.contains("export * from '/" + part + "'"), main);
    assertTrue(main.contains("import('/" + named(files, "js/later-") + "')"), main);
    assertTrue(main.contains("new URL('/" + named(files, "js/worker-") + "'"), main);
    String style = text(files, "style-");
    assertTrue(style.contains("url('/" + named(files, "sky-") + "'), url(data:x)"), style);
    assertFalse(text(files, "lib/lit-html/lit-html-").contains("sourceMappingURL"));
  }

  @Test
  void thePageNamesAllThatItsFirstScriptNeedsWithItsHash() throws IOException {
    Map<String, byte[]> files = pack();
    String page = text(files, "index.html");
    for (String needed : List.of("js/main-", "style-", "js/part-", "lib/lit-html/lit-html-")) {
      String reference = "=\"/" + named(files, needed) + "\" integrity=\"sha256-";
      assertTrue(page.contains(reference), page);
    }
    assertFalse(page.contains("later"), page);
    assertEquals(1, page.split("/js/main-", -1).length - 1, page);
  }

  @Test
  void aChangeOfAPartChangesTheNamesOfAllThatNeedIt() throws IOException {
    Map<String, byte[]> before = pack();
    assertEquals(before.keySet(), pack().keySet());
    write("js/part.js", "export const one = 2, two = 2;");
    Map<String, byte[]> after = pack();
    assertNotEquals(named(before, "js/main-"), named(after, "js/main-"));
    assertEquals(named(before, "js/worker-"), named(after, "js/worker-"));
  }

  private void refuses(String... words) {
    String message = assertThrows(PackingException.class, this::pack).toString();
    for (String word : words) {
      assertTrue(message.contains(word), message);
    }
  }

  @Test
  void anImportThatLeadsNowhereIsRefused() throws IOException {
    write("js/part.js", "import './gone.js'; export const one = 1, two = 2;");
    refuses("js/part.js refers to js/gone.js, which does not exist");
    write("js/part.js", "import 'uplot'; export const one = 1, two = 2;");
    refuses("js/part.js imports uplot");
    write("js/part.js", "import './later.js'; export const one = 1, two = 2;");
    refuses("imports itself");
  }

  @Test
  void inlineCodeAndStyleAreRefused() throws IOException {
    String page = Files.readString(sources.resolve("index.html"));
    for (String inline :
        List.of(
            "<script>alert(1)</script>",
            "<script type=\"module\">import './x.js'</script>",
            "<style>a{}</style>",
            "<p style=\"color: red\">",
            "<body onload=\"x()\">",
            "<a href=\"javascript:x()\">")) {
      write("index.html", page.replace("</html>", inline + "</html>"));
      refuses("index.html has inline code or style");
    }
    write("index.html", page);
    write("js/worker.js", "document.body.innerHTML = `<p style=\"color: red\">`;");
    refuses("js/worker.js has inline code or style");
  }

  @Test
  void aFileThatNobodyRefersToIsRefused() throws IOException {
    write("js/old.js", "");
    refuses("nobody refers to js/old.js");
  }

  @Test
  void aPageThatIsTooLargeIsRefused() throws IOException {
    byte[] noise = new byte[300 * 1024];
    new Random(1).nextBytes(noise);
    write("js/worker.js", "// " + HexFormat.of().formatHex(noise));
    refuses("bytes compressed, and at most 256000 are allowed");
  }
}
