package dev.kron.config;

import dev.kron.config.ServicePlaces.Place;
import dev.kron.service.Dependencies;
import dev.kron.text.VisibleText;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseOptions;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;
import org.tomlj.TomlVersion;

/**
 * Reads service files. Total: whatever the bytes are, the result is a {@link ServiceFile}, and all
 * that is wrong is in it.
 */
public final class ServiceParser {
  private static final String SUFFIX = ".toml";
  private static final TomlParseOptions OPTIONS =
      TomlParseOptions.defaults().withVersion(TomlVersion.V1_1_0);

  private final KrontabParser.Settings settings;

  public ServiceParser(KrontabParser.Settings settings) {
    this.settings = settings;
  }

  /** Reads a file that is in memory already. */
  public ServiceFile parse(Path path, byte[] content) {
    String file = KrontabParser.identityPath(path);
    if (file.chars().anyMatch(Character::isISOControl)) {
      return ServiceFile.refused(
          file, Krontab.Status.READ, "the path of this file holds a control character; rename it");
    }
    @Nullable String encoding = encodingProblem(content);
    if (encoding != null) {
      return ServiceFile.refused(file, Krontab.Status.READ, encoding);
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
    if (malformed || hasLongLine(text, notes)) {
      return finished(file, notes, null);
    }
    return parse(file, text, notes);
  }

  private ServiceFile parse(String file, String text, ServiceNotes notes) {
    TomlParseResult toml;
    try {
      toml = Toml.parse(text, OPTIONS);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      // Some damage the parser takes for a fault of its own.
      notes.fileError("the file cannot be read as TOML: " + VisibleText.of(String.valueOf(e)));
      return finished(file, notes, null);
    }
    for (TomlParseError error : toml.errors()) {
      Place place = new Place(error.position().line(), error.position().column());
      notes.error(place, message(error));
    }
    topLevel(toml, notes);
    ServiceBuilder builder =
        new ServiceBuilder(file, defaultName(file), toml, notes, settings.strict());
    builder.build(!toml.errors().isEmpty());
    return finished(file, notes, builder);
  }

  private static String message(TomlParseError error) {
    String message = VisibleText.of(String.valueOf(error.getMessage()));
    // A key that stands twice is told by its name, which is not to be changed.
    return message.startsWith("Unexpected") || message.startsWith("Invalid")
        ? message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1)
        : message;
  }

  private static void topLevel(TomlTable toml, ServiceNotes notes) {
    for (String key : toml.keySet()) {
      var position = toml.inputPositionOf(List.of(key));
      Place place = position == null ? Place.BEGIN : new Place(position.line(), position.column());
      notes.remember(key, place);
      Object value = toml.get(List.of(key));
      if (!ServiceKeys.TABLES.containsKey(key)) {
        notes.error(place, ServiceKeys.unknownTable(key));
      } else if (!(value instanceof TomlTable)) {
        notes.error(
            place,
            key
                + " is "
                + TomlSection.describe(value)
                + "; expected a table, which begins with a line ["
                + key
                + "]");
      }
    }
  }

  private static ServiceFile finished(
      String file, ServiceNotes notes, @Nullable ServiceBuilder builder) {
    @Nullable String name = builder == null ? null : builder.name();
    return new ServiceFile(
        file,
        Krontab.Status.READ,
        name == null ? defaultName(file) : name,
        builder == null || !notes.isValid() ? null : builder.service(),
        builder == null ? Dependencies.NONE : builder.dependencies(),
        notes.sorted(),
        notes.places());
  }

  /** The file's name without its ending. */
  static String defaultName(String file) {
    String name = file.substring(file.lastIndexOf('/') + 1);
    return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
  }

  private static @Nullable String encodingProblem(byte[] content) {
    if (content.length >= 2
        && ((content[0] == (byte) 0xFF && content[1] == (byte) 0xFE)
            || (content[0] == (byte) 0xFE && content[1] == (byte) 0xFF))) {
      return "the file is encoded in UTF-16; a service file is UTF-8: convert it with"
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

  private boolean hasLongLine(String text, ServiceNotes notes) {
    int number = 1;
    int start = 0;
    while (start <= text.length()) {
      int end = text.indexOf('\n', start);
      end = end < 0 ? text.length() : end;
      if (end - start > settings.maximumLineBytes()) {
        notes.error(
            new Place(number, 1),
            "the line has "
                + (end - start)
                + " characters, the limit is "
                + settings.maximumLineBytes());
        return true;
      }
      start = end + 1;
      number++;
    }
    return false;
  }
}
