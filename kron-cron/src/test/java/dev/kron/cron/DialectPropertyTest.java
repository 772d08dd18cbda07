package dev.kron.cron;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Whatever is written, a parser answers with an expression or with its own error. */
class DialectPropertyTest {
  private static final long SEED = Long.getLong("kron.seed", 20_260_302);
  private static final String[] PIECES = {
    "*",
    "0",
    "5",
    "7",
    "31",
    "59",
    "60",
    "007",
    "99999999999",
    ",",
    "-",
    "/",
    "*/2",
    "1-5",
    "10-20/5",
    "JAN",
    "feb",
    "MON",
    "sun",
    "L",
    "L-3",
    "5L",
    "FRI#2",
    "W",
    "?",
    "#",
    "@daily",
    "@tz(UTC)",
    "name=x",
    "+",
    ".",
    "\t",
    " ",
    "\n",
    "\u0000",
    "\u00a0",
    "\u0665",
    "\ud83d\ude00",
    "\ud800",
    "ı",
    "x",
    "\"",
    "é"
  };

  private final RandomGenerator random = new SplittableRandom(SEED);

  @Test
  void krontabPointsIntoTheTextOrReadsIt() {
    for (int i = 0; i < 40_000; i++) {
      String text = text();
      try {
        CronExpression.Prefix prefix = CronExpression.krontabPrefix(text, 0);
        assertTrue(text.startsWith(prefix.expression().text(), blanks(text)), () -> context(text));
        assertEquals(
            blanks(text) + prefix.expression().text().length(), prefix.end(), () -> context(text));
      } catch (CronSyntaxException e) {
        assertTrue(e.offset() >= 0 && e.offset() <= text.length(), () -> context(text));
        assertTrue(String.valueOf(e.getMessage()).length() < 300, () -> context(text));
      } catch (RuntimeException e) {
        throw new AssertionError(context(text), e);
      }
    }
  }

  @Test
  void whatPosixReadsKrontabReadsToo() {
    int read = 0;
    for (int i = 0; i < 40_000; i++) {
      String text = text();
      CronExpression posix;
      try {
        posix = CronExpression.posix(text);
      } catch (InvalidCronExpressionException e) {
        assertTrue(String.valueOf(e.getMessage()).startsWith("Invalid cron expression \"" + text));
        continue;
      } catch (RuntimeException e) {
        throw new AssertionError(context(text), e);
      }
      read++;
      MinuteSet krontab = CronExpression.krontab(text).minutes();
      for (long minute = 30_000_000; minute < 30_000_000 + 400 * 1_440; minute += 39_979) {
        assertEquals(posix.minutes().ceiling(minute), krontab.ceiling(minute), () -> context(text));
      }
    }
    assertTrue(read > 100, "too few texts were valid: " + read);
  }

  private static int blanks(String text) {
    int blanks = 0;
    while (text.charAt(blanks) == ' ' || text.charAt(blanks) == '\t') {
      blanks++;
    }
    return blanks;
  }

  /** Mostly five fields of mostly plausible pieces. */
  private String text() {
    var text = new StringBuilder();
    int fields = random.nextInt(8) == 0 ? random.nextInt(8) : 5;
    int plausible = random.nextInt(4) == 0 ? PIECES.length : 9;
    for (int field = 0; field < fields; field++) {
      text.append(field == 0 ? "" : " ");
      int pieces = random.nextInt(3) == 0 ? random.nextInt(1, 4) : 1;
      for (int piece = 0; piece < pieces; piece++) {
        text.append(piece > 0 && random.nextBoolean() ? "," : "");
        text.append(PIECES[random.nextInt(plausible)]);
      }
    }
    return text.toString();
  }

  private static String context(String text) {
    return "\"" + text + "\", -Dkron.seed=" + SEED;
  }
}
