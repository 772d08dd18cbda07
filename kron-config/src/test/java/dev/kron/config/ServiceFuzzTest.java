package dev.kron.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The reader is total: whatever the bytes, it gives a service or says why not, safe to print. */
class ServiceFuzzTest {
  private static final long SEED = Long.getLong("kron.seed", 20261115L);
  private static final long MILLIS = Long.getLong("kron.fuzz.millis", 2_000);

  private static final List<String> CORPUS =
      List.of(
          ServiceFileTest.EVERYTHING,
          "[service]\nexec = ['a', \"b\"]\nenv = {A = 'b', C = 'd'}\n",
          "service.exec = 'x'\nservice.env.A = 'b'\n",
          "[service]\ntype = 'target'\n[dependencies]\nrequires = [\n 'a', # b\n 'c',\n]\n",
          "[service]\nexec = '''\n/bin/sh -c \"x\"'''\numask = 0o22\n");

  private static final String[] PIECES = {
    "[",
    "]",
    "[[",
    "]]",
    "=",
    ".",
    ",",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "#",
    "\n",
    "\\",
    "\\u0000",
    "{",
    "}",
    "0x",
    "1e9999",
    "nan",
    "-",
    "true",
    "[service]",
    "[service.env]",
    "exec",
    "requires",
    "\u0000",
    "\u001b[31m",
    "\u202e",
    "é",
    "😀",
    "99999999999999999999",
    "2026-01-01",
    " = ",
  };

  @Test
  void survivesAnyDamage() {
    SplittableRandom random = new SplittableRandom(SEED);
    long end = System.nanoTime() + MILLIS * 1_000_000;
    int rounds = 0;
    while (rounds < 200 || System.nanoTime() < end) {
      byte[] text = CORPUS.get(random.nextInt(CORPUS.size())).getBytes(UTF_8);
      for (int i = random.nextInt(4); i >= 0; i--) {
        text = damaged(text, random);
      }
      try {
        check(ServiceTexts.parse(text, random.nextBoolean()));
      } catch (RuntimeException | Error e) {
        throw new AssertionError(
            "round " + rounds + ", -Dkron.seed=" + SEED + ": " + new String(text, UTF_8), e);
      }
      rounds++;
    }
  }

  @Test
  void survivesWhatTheTomlParserDoesNotExpect() {
    ServiceFile file = ServiceTexts.parse("[ser#vic\0e]\nexec = ".getBytes(UTF_8), false);
    check(file);
    assertFalse(file.isValid());
  }

  private static void check(ServiceFile file) {
    assertEquals(file.isValid(), file.service() != null, file::toString);
    assertNotNull(file.name());
    var renderer = new DiagnosticRenderer(80);
    for (Diagnostic diagnostic : file.diagnostics()) {
      String shown = renderer.render(diagnostic);
      assertTrue(shown.chars().allMatch(c -> c == '\n' || !Character.isISOControl(c)), () -> shown);
    }
  }

  private static byte[] damaged(byte[] text, SplittableRandom random) {
    int at = random.nextInt(text.length + 1);
    return switch (random.nextInt(4)) {
      case 0 -> Arrays.copyOf(text, at);
      case 1 -> splice(text, at, at, PIECES[random.nextInt(PIECES.length)].getBytes(UTF_8));
      case 2 -> splice(text, at, Math.min(text.length, at + random.nextInt(20)), new byte[0]);
      default -> splice(text, at, at, new byte[] {(byte) random.nextInt(256)});
    };
  }

  private static byte[] splice(byte[] text, int from, int to, byte[] piece) {
    byte[] result = Arrays.copyOf(text, text.length - (to - from) + piece.length);
    System.arraycopy(piece, 0, result, from, piece.length);
    System.arraycopy(text, to, result, from + piece.length, text.length - to);
    return result;
  }

  @Test
  void boundsTheDepthOfNesting() {
    for (String deep : List.of("a=" + "[".repeat(20_000), "a=" + "{b=".repeat(15_000))) {
      assertEquals(
          1,
          ServiceTexts.parse(deep).diagnostics().stream()
              .filter(d -> d.message().contains("too deep"))
              .count());
    }
  }
}
