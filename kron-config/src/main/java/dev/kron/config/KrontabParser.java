package dev.kron.config;

import dev.kron.job.JobSpec;
import dev.kron.text.VisibleText;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parser of krontab files. Total: whatever the bytes are, the result is a {@link Krontab} that
 * contains all problems.
 *
 * <p>One parser is for the files of one configuration: it counts their jobs together and shares
 * equal values between them. It is not safe for use by several threads.
 */
public final class KrontabParser {
  private final Settings settings;
  private final EntryInspector inspector;
  private final EntryParser entries;
  private int jobs;
  private boolean fullSaid;

  /**
   * The settings of the parser.
   *
   * @param strict whether relative command paths are errors
   * @param maximumLineBytes the longest line, without its line break
   * @param maximumJobs the limit for all files together
   */
  public record Settings(boolean strict, int maximumLineBytes, int maximumJobs) {
    public static final Settings DEFAULT = new Settings(false, 64 * 1024, 1_000_000);

    public Settings withStrict(boolean strict) {
      return new Settings(strict, maximumLineBytes, maximumJobs);
    }
  }

  public KrontabParser(Settings settings) {
    this(settings, EntryInspector.NONE);
  }

  /**
   * A parser.
   *
   * @param inspector sees every valid entry, in the order of the file
   */
  public KrontabParser(Settings settings, EntryInspector inspector) {
    this.settings = settings;
    this.inspector = inspector;
    this.entries = new EntryParser(settings.strict());
  }

  /** The path as it stands in identities: absolute and normalised, without resolving links. */
  public static String identityPath(Path file) {
    return file.toAbsolutePath().normalize().toString();
  }

  /** Parses a file that is in memory. */
  public Krontab parse(Path file, byte[] content) {
    return new FileParse(identityPath(file), null, content).parse();
  }

  /**
   * Reads a krontab of a fleet.
   *
   * @param below its path below the directory of fleet krontabs, which stands in identities
   * @param node name of the node whose file it is
   */
  public Krontab parseFleet(Path file, String below, String node, byte[] content) {
    return new FileParse(identityPath(file), new FleetKrontab(below, node), content).parse();
  }

  /** The work on one file. */
  private final class FileParse {
    private static final int NOT_ASCII = 1;
    private static final int CONTROL = 2;
    private static final int NUL = 4;
    private static final int CARRIAGE_RETURN = 8;

    /**
     * The usual length of a line, to estimate the number of entries so that a large map need not
     * grow repeatedly.
     */
    private static final int USUAL_LINE_BYTES = 100;

    private final String file;
    private final @Nullable FleetKrontab fleet;
    private final byte[] content;
    private final List<JobSpec> found = new ArrayList<>();
    private final List<Diagnostic> diagnostics = new ArrayList<>();
    private final Map<String, Integer> lineOfName;
    private final Chains chains = new Chains();
    private int number;
    private int start;
    private int end;
    private int windowsLines;
    private int firstWindowsLine;
    private String firstWindowsText = "";

    /**
     * @param fleet null: a krontab of this machine
     */
    FileParse(String file, @Nullable FleetKrontab fleet, byte[] content) {
      this.file = file;
      this.fleet = fleet;
      this.content = content;
      this.lineOfName = HashMap.newHashMap(content.length / USUAL_LINE_BYTES);
    }

    Krontab parse() {
      if (file.chars().anyMatch(Character::isISOControl)) {
        diagnostics.add(
            Diagnostic.ofFile(file, "the path of this file holds a control character; rename it"));
      } else if (!isUtf16()) {
        lines();
        chains.check(found);
      }
      return new Krontab(file, Krontab.Status.READ, found, diagnostics);
    }

    private boolean isUtf16() {
      boolean marked =
          content.length >= 2
              && ((content[0] == (byte) 0xFF && content[1] == (byte) 0xFE)
                  || (content[0] == (byte) 0xFE && content[1] == (byte) 0xFF));
      if (marked) {
        diagnostics.add(
            Diagnostic.ofFile(
                file,
                "the file is encoded in UTF-16; a krontab is UTF-8: convert it with"
                    + " iconv -f UTF-16 -t UTF-8"));
      }
      return marked;
    }

    private void lines() {
      int position = byteOrderMark();
      boolean more = true;
      while (more && position < content.length) {
        number++;
        start = position;
        int kinds = lineEnd();
        position = end + 1;
        more = (kinds & NUL) == 0 ? line(kinds) : nul();
      }
      if (windowsLines > 0) {
        var line = new Line(file, firstWindowsLine, firstWindowsText, diagnostics);
        line.error(
            firstWindowsText.length(),
            "the file has Windows line ends (CR LF), on "
                + windowsLines
                + (windowsLines == 1 ? " line" : " lines")
                + "; a krontab has LF alone: remove them with sed -i 's/\\r$//' FILE");
        diagnostics.sort(Diagnostic.BY_POSITION);
      }
    }

    private int byteOrderMark() {
      boolean marked =
          content.length >= 3
              && content[0] == (byte) 0xEF
              && content[1] == (byte) 0xBB
              && content[2] == (byte) 0xBF;
      if (marked) {
        diagnostics.add(
            Diagnostic.ofFile(
                file,
                "the file begins with a byte order mark (U+FEFF); save it as UTF-8 without one, or"
                    + " remove it with sed -i '1s/^\\xEF\\xBB\\xBF//' FILE"));
      }
      return marked ? 3 : 0;
    }

    /** Finds the end of the line and the kinds of bytes in it, in one pass. */
    private int lineEnd() {
      int kinds = 0;
      int at = start;
      for (; at < content.length; at++) {
        byte b = content[at];
        if (b < ' ') {
          if (b == '\n') {
            break;
          }
          if (b != '\t') {
            kinds |= b < 0 ? NOT_ASCII : b == '\r' ? CARRIAGE_RETURN : b == 0 ? NUL : CONTROL;
          }
        } else if (b == 0x7F) {
          kinds |= CONTROL;
        }
      }
      end = at;
      return kinds;
    }

    /** Parses one line; false if parsing cannot continue. */
    private boolean line(int kinds) {
      int length = end - start;
      if (length > settings.maximumLineBytes()) {
        diagnostics.add(
            new Diagnostic(
                file,
                number,
                1,
                "the line has "
                    + length
                    + " bytes, the limit is "
                    + settings.maximumLineBytes()
                    + "; put the command into a script and call that",
                Diagnostic.Severity.ERROR,
                null));
        return true;
      }
      int first = start;
      while (first < end && (content[first] == ' ' || content[first] == '\t')) {
        first++;
      }
      boolean nothing = first == end || content[first] == '#';
      if (nothing && (kinds & (NOT_ASCII | CARRIAGE_RETURN)) == 0) {
        return true;
      }
      @Nullable Line line = decode(kinds);
      if (line == null) {
        return true;
      }
      boolean proceed = nothing || line.text().isBlank() || hasNoControls(line, kinds);
      if (proceed && !nothing && !line.text().isBlank()) {
        proceed = entry(line);
        line.sort();
        return proceed;
      }
      return true;
    }

    private @Nullable Line decode(int kinds) {
      boolean windows = (kinds & CARRIAGE_RETURN) != 0 && content[end - 1] == '\r';
      int length = end - start - (windows ? 1 : 0);
      String text;
      if ((kinds & NOT_ASCII) == 0) {
        text = new String(content, start, length, StandardCharsets.ISO_8859_1);
      } else {
        ByteBuffer bytes = ByteBuffer.wrap(content, start, length);
        CharBuffer characters = CharBuffer.allocate(length);
        CharsetDecoder decoder =
            StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        if (decoder.decode(bytes, characters, true).isError()) {
          invalidUtf8(bytes.position());
          return null;
        }
        text = characters.flip().toString();
      }
      var line = new Line(file, number, text, diagnostics);
      if (windows) {
        if (windowsLines == 0) {
          firstWindowsLine = number;
          firstWindowsText = text;
        }
        windowsLines++;
      }
      return line;
    }

    private void invalidUtf8(int position) {
      Line line = lossy();
      line.error(
          new String(content, start, position - start, StandardCharsets.UTF_8).length(),
          String.format(
              "byte 0x%02X, at offset %s of the file, is not valid UTF-8; if the file is Latin-1,"
                  + " convert it with iconv -f LATIN1 -t UTF-8",
              content[position], position));
    }

    private boolean nul() {
      int position = start;
      while (content[position] != 0) {
        position++;
      }
      lossy()
          .error(
              new String(content, start, position - start, StandardCharsets.UTF_8).length(),
              "a NUL byte, at offset "
                  + position
                  + " of the file: this is not a text file; nothing after it was read");
      return false;
    }

    /** The line with replacements for bytes that cannot be decoded, for display only. */
    private Line lossy() {
      int shown = Math.min(end - start, settings.maximumLineBytes());
      String text = new String(content, start, shown, StandardCharsets.UTF_8);
      return new Line(file, number, text, diagnostics);
    }

    private boolean hasNoControls(Line line, int kinds) {
      String text = line.text();
      if (kinds == 0 || (kinds == CARRIAGE_RETURN && text.indexOf('\r') < 0)) {
        return true;
      }
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (Character.isISOControl(c) && c != '\t') {
          line.error(
              i, "the control character " + VisibleText.code(c) + " may not stand in an entry");
          return false;
        }
      }
      return true;
    }

    private boolean entry(Line line) {
      @Nullable JobSpec job = entries.parse(line, fleet);
      @Nullable String name = entries.last().name();
      if (name != null) {
        @Nullable Integer before = lineOfName.putIfAbsent(name, number);
        if (before != null) {
          line.error(
              entries.last().nameStart(),
              "line "
                  + number
                  + " has the same name as line "
                  + before
                  + ", "
                  + VisibleText.quote(name)
                  + "; names must be unique within a file");
          return true;
        }
      }
      if (job != null) {
        return add(job, line);
      }
      return true;
    }

    private boolean add(JobSpec job, Line line) {
      if (jobs < settings.maximumJobs()) {
        jobs++;
        found.add(job);
        chains.add(job, entries.last());
        inspector.inspect(job, entries.last());
        return true;
      }
      if (!fullSaid) {
        fullSaid = true;
        line.error(
            0,
            "more than "
                + settings.maximumJobs()
                + " jobs in all files together; spread them over several daemons");
      }
      return false;
    }
  }
}
