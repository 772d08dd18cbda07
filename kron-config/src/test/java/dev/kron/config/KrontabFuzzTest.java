package dev.kron.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.JobSpec;
import dev.kron.text.VisibleText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Files that nobody would write, made from those in the corpus by cutting, repeating, mixing and
 * damaging them. By default a few seconds with a fixed seed; longer and different with {@code
 * -Dkron.fuzz.seconds=600 -Dkron.seed=…}.
 */
class KrontabFuzzTest {
  private static final long SEED = Long.getLong("kron.seed", 20261115);
  private static final long SECONDS = Long.getLong("kron.fuzz.seconds", 0);
  private static final int FILES = 5_000;

  private static final KrontabParser.Settings SETTINGS =
      new KrontabParser.Settings(false, 2_000, 1_000);

  private static final List<String> PIECES =
      List.of(
          "name=",
          "command=",
          "env=",
          "shell=true",
          "umask=",
          "timeout=",
          "stdout=file:",
          "user=",
          "onfailure=",
          "description=",
          "\"",
          "\\",
          "\\\"",
          "'",
          "=",
          "#",
          "@",
          "@win(",
          "@tz(",
          ")",
          " ",
          "\t",
          "\n",
          "\r\n",
          "\r",
          "\0",
          "*/5 ",
          "0 0 * * * ",
          "%",
          "😀",
          "漢",
          "\u0301",
          "\u202E",
          "\u00A0",
          "\uFEFF",
          "x".repeat(300),
          "name=a command=/bin/true\n");

  @Test
  void neverFailsWhateverTheBytesAre() throws IOException {
    List<byte[]> corpus = corpus();
    var random = new SplittableRandom(SEED);
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    for (int i = 0; i < FILES || System.nanoTime() < end; i++) {
      byte[] content = mutate(corpus, random);
      try {
        check(content);
      } catch (Throwable problem) {
        Path saved = Files.createTempFile("krontab-fuzz-", ".kron");
        Files.write(saved, content);
        throw new AssertionError(
            "file " + i + " of -Dkron.seed=" + SEED + ", saved as " + saved, problem);
      }
    }
  }

  @Test
  void holdsForTheCorpusItself() throws IOException {
    for (byte[] content : corpus()) {
      check(content);
    }
  }

  private static void check(byte[] content) {
    Krontab krontab = Krontabs.parse(content, SETTINGS);
    assertEquals(krontab, Krontabs.parse(content, SETTINGS), "the same bytes, the same result");
    String[] lines = new String(content, StandardCharsets.UTF_8).split("\n", -1);
    Diagnostic before = new Diagnostic("", 1, 1, "", Diagnostic.Severity.ERROR, null);
    for (Diagnostic diagnostic : krontab.diagnostics()) {
      checkPlace(diagnostic, lines);
      assertTrue(Diagnostic.BY_POSITION.compare(before, diagnostic) <= 0, "in order");
      before = diagnostic;
      String shown = new DiagnosticRenderer(80).render(diagnostic);
      assertTrue(shown.codePoints().allMatch(c -> c == '\n' || VisibleText.isPrintable(c)), shown);
      assertTrue(diagnostic.message().length() < 1_000, diagnostic.message());
    }
    for (JobSpec job : krontab.jobs()) {
      checkRoundTrip(job);
    }
  }

  private static void checkPlace(Diagnostic diagnostic, String[] lines) {
    assertTrue(diagnostic.line() <= lines.length, diagnostic.toString());
    String source = diagnostic.source();
    if (source != null) {
      int characters = source.codePointCount(0, source.length());
      assertTrue(diagnostic.column() <= characters + 1, diagnostic.toString());
    } else {
      assertEquals(1, diagnostic.column());
    }
  }

  private static void checkRoundTrip(JobSpec job) {
    String written = "\n".repeat(job.line() - 1) + KrontabWriter.line(job);
    Krontab again = Krontabs.parse(written, new KrontabParser.Settings(false, 1 << 20, 10));
    assertEquals(List.of(job), again.jobs(), written);
  }

  private static List<byte[]> corpus() throws IOException {
    Path directory = Path.of("src/test/resources/corpus").toAbsolutePath();
    var all = new ArrayList<byte[]>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(file -> file.toString().endsWith(".kron")).sorted().toList()) {
        all.add(Files.readAllBytes(file));
      }
    }
    assertTrue(all.size() >= 5, "the corpus is in " + directory);
    return all;
  }

  private static byte[] mutate(List<byte[]> corpus, SplittableRandom random) {
    byte[] content = corpus.get(random.nextInt(corpus.size()));
    int changes = 1 + random.nextInt(4);
    for (int i = 0; i < changes; i++) {
      content = change(content, corpus, random);
    }
    return content;
  }

  private static byte[] change(byte[] content, List<byte[]> corpus, SplittableRandom random) {
    int from = random.nextInt(content.length + 1);
    int to = Math.min(content.length, from + random.nextInt(20));
    return switch (random.nextInt(6)) {
      case 0 -> splice(content, from, to, new byte[0]);
      case 1 -> splice(content, from, from, piece(random));
      case 2 -> splice(content, from, to, piece(random));
      case 3 -> splice(content, from, from, new byte[] {(byte) random.nextInt(256)});
      case 4 -> splice(content, from, from, Arrays.copyOfRange(content, from, to));
      default -> {
        byte[] other = corpus.get(random.nextInt(corpus.size()));
        int start = random.nextInt(other.length + 1);
        yield splice(content, from, content.length, Arrays.copyOfRange(other, start, other.length));
      }
    };
  }

  private static byte[] piece(SplittableRandom random) {
    return PIECES.get(random.nextInt(PIECES.size())).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] splice(byte[] content, int from, int to, byte[] inserted) {
    byte[] result = new byte[content.length - (to - from) + inserted.length];
    System.arraycopy(content, 0, result, 0, from);
    System.arraycopy(inserted, 0, result, from, inserted.length);
    System.arraycopy(content, to, result, from + inserted.length, content.length - to);
    return result;
  }
}
