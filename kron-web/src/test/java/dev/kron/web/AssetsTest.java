package dev.kron.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

class AssetsTest {
  private static String text(String path) throws IOException {
    Assets.Asset asset = Assets.find(path);
    assertNotNull(asset, path);
    try (var in = new GZIPInputStream(new ByteArrayInputStream(asset.gzip().array()))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void thePageAndAllThatItNamesAreThere() throws IOException {
    Assets.Asset index = Assets.find("/");
    assertNotNull(index);
    assertEquals("text/html; charset=utf-8", index.type());
    assertFalse(index.immutable());
    Matcher reference = Pattern.compile("(?:src|href)=\"([^\"]+)\"").matcher(text("/"));
    int found = 0;
    while (reference.find()) {
      Assets.Asset asset = Assets.find(reference.group(1));
      assertNotNull(asset, reference.group(1));
      assertTrue(asset.immutable());
      found++;
    }
    assertTrue(found >= 3, "only " + found);
  }

  @Test
  void nothingElseOfTheProgramIsServed() throws IOException {
    for (String path :
        List.of(
            "/../Assets.class",
            "/../assets/index.html",
            "/js/../index.html",
            "/js/./main.js",
            "//index.html",
            "/index.html.gz",
            "/index.html\0.html",
            "/js",
            "/js/",
            "/.html",
            "/gone.js",
            "index.html",
            "")) {
      assertNull(Assets.find(path), path);
    }
  }
}
