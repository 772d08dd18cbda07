package dev.kron.config;

import dev.kron.config.ServicePlaces.Place;
import dev.kron.text.VisibleText;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseOptions;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlVersion;

/**
 * The tables of a TOML file, whatever its bytes are, and the problems of its syntax.
 *
 * @param toml null if it is no TOML at all; its errors are among the notes
 */
record TomlFile(@Nullable TomlParseResult toml, ServiceNotes notes) {
  private static final TomlParseOptions OPTIONS =
      TomlParseOptions.defaults().withVersion(TomlVersion.V1_1_0);

  /**
   * Reads a file.
   *
   * @param what the kind of file, for people
   */
  static TomlFile read(String file, String what, byte[] content, int maximumLineBytes) {
    @Nullable String encoding = encodingProblem(what, content);
    if (encoding != null) {
      ServiceNotes notes = new ServiceNotes(file, List.of());
      notes.fileError(encoding);
      return new TomlFile(null, notes);
    }
    CharBuffer characters = CharBuffer.allocate(content.length);
    ByteBuffer bytes = ByteBuffer.wrap(content);
    CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    boolean malformed = decoder.decode(bytes, characters, true).isError();
    String text = characters.flip().toString();
    ServiceNotes notes = new ServiceNotes(file, lines(text));
    if (malformed) {
      notes.error(
          endOf(text),
          String.format(
              "byte 0x%02X, at offset %s of the file, is not valid UTF-8; if the file is Latin-1,"
                  + " convert it with iconv -f LATIN1 -t UTF-8",
              content[bytes.position()], bytes.position()));
    }
    return malformed || hasLongLine(text, maximumLineBytes, notes)
        ? new TomlFile(null, notes)
        : new TomlFile(parse(text, notes), notes);
  }

  private static @Nullable TomlParseResult parse(String text, ServiceNotes notes) {
    TomlParseResult toml;
    try {
      toml = Toml.parse(text, OPTIONS);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      // The parser reports some kinds of damage as an internal fault.
      notes.fileError("the file cannot be read as TOML: " + VisibleText.of(String.valueOf(e)));
      return null;
    }
    for (TomlParseError error : toml.errors()) {
      Place place = new Place(error.position().line(), error.position().column());
      notes.error(place, message(error));
    }
    return toml;
  }

  private static String message(TomlParseError error) {
    String message = VisibleText.of(String.valueOf(error.getMessage()));
    // A message about a duplicate key contains its name, which must stay as it is.
    return message.startsWith("Unexpected") || message.startsWith("Invalid")
        ? message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1)
        : message;
  }

  private static @Nullable String encodingProblem(String what, byte[] content) {
    if (content.length >= 2
        && ((content[0] == (byte) 0xFF && content[1] == (byte) 0xFE)
            || (content[0] == (byte) 0xFE && content[1] == (byte) 0xFF))) {
      return "the file is encoded in UTF-16; a "
          + what
          + " file is UTF-8: convert it with"
          + " iconv -f UTF-16 -t UTF-8";
    }
    if (content.length >= 3
        && content[0] == (byte) 0xEF
        && content[1] == (byte) 0xBB
        && content[2] == (byte) 0xBF) {
      return "the file begins with a byte order mark (U+FEFF); save it as UTF-8 without one, or"
          + " remove it with sed -i '1s/^\\xEF\\xBB\\xBF//' FILE";
    }
    return null;
  }

  private static List<String> lines(String text) {
    List<String> lines = new ArrayList<>();
    int start = 0;
    while (start <= text.length()) {
      int end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      boolean windows = end > start && text.charAt(end - 1) == '\r';
      lines.add(text.substring(start, windows ? end - 1 : end));
      start = end + 1;
    }
    return lines;
  }

  private static Place endOf(String text) {
    int line = 1 + (int) text.chars().filter(c -> c == '\n').count();
    String last = text.substring(text.lastIndexOf('\n') + 1);
    return new Place(line, last.codePointCount(0, last.length()) + 1);
  }

  private static boolean hasLongLine(String text, int maximum, ServiceNotes notes) {
    int number = 1;
    int start = 0;
    while (start <= text.length()) {
      int end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      if (end - start > maximum) {
        notes.error(
            new Place(number, 1),
            "the line has " + (end - start) + " characters, the limit is " + maximum);
        return true;
      }
      start = end + 1;
      number++;
    }
    return false;
  }
}
