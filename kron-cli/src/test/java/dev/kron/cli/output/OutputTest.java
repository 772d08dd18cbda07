package dev.kron.cli.output;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.cli.output.Output.Look;
import dev.kron.text.VisibleText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class OutputTest {
  private static String printed(Look look, String text) throws IOException {
    var bytes = new ByteArrayOutputStream();
    Output out = new Output(bytes, look);
    out.print(text);
    out.flush();
    return bytes.toString(UTF_8);
  }

  private static String printed(String text) throws IOException {
    return printed(Look.PLAIN, text);
  }

  @Test
  void printsWhatCanBeSeen() throws IOException {
    assertEquals("naïve → 日本 🕰", printed("naïve → 日本 🕰"));
  }

  @Test
  void showsWhatWouldActOnATerminal() throws IOException {
    assertEquals("\\x1b[2J\\x07\\n\\t\\x0d", printed("\u001b[2J\u0007\n\t\r"));
    assertEquals("\\x9b31m\\x7f", printed("\u009b31m\u007f"));
    assertEquals("\\u{202e}evil\\u{2066}", printed("\u202eevil\u2066"));
    assertEquals("\\u{2028}", printed("\u2028"));
    assertEquals("\\u{d800}x", printed("\ud800x"));
    assertEquals("\\u{dc00}", printed("\udc00"));
    assertEquals("\\u{e0041}", printed("\udb40\udc41"));
  }

  @Test
  void writesLettersBeyondAsciiAsEscapesWhereTheyWouldNotArrive() throws IOException {
    assertEquals("na\\xefve \\u{2192}", printed(new Look(80, false, false), "naïve →"));
  }

  @Test
  void letsNoControlCharacterThroughWhateverTheText() throws IOException {
    long seed = Long.getLong("kron.seed", 20261115L);
    RandomGenerator random = new SplittableRandom(seed);
    for (int round = 0; round < 2_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(12); i > 0; i--) {
        text.append((char) random.nextInt(random.nextBoolean() ? 0x100 : 0x10000));
      }
      String shown = printed(text.toString());
      boolean harmless =
          shown
              .codePoints()
              .allMatch(
                  c ->
                      c >= ' ' && c != 0x7f && (c < 0x80 || c > 0x9f) && !VisibleText.isHarmful(c));
      assertEquals(true, harmless, "seed " + seed + ", round " + round + ": " + shown);
    }
  }

  @Test
  void coloursOnlyWhereAskedTo() throws IOException {
    var bytes = new ByteArrayOutputStream();
    Output out = new Output(bytes, new Look(80, true, true));
    out.styled(Style.RED, "a\u001bb");
    out.flush();
    assertEquals("\u001b[31ma\\x1bb\u001b[0m", bytes.toString(UTF_8));
  }
}
