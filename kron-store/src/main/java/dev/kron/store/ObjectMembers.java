package dev.kron.store;

import dev.kron.json.JsonText;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The members of one object of a file, one after the other; unknown ones are kept as they are. */
final class ObjectMembers {
  private final byte[] bytes;
  private final JsonCursor cursor;
  private final String what;
  private final String separator;
  private final Set<String> seen = new HashSet<>();
  private final JsonText kept = new JsonText(0);
  private String name = "";

  ObjectMembers(byte[] bytes, JsonCursor cursor, String what, String separator) {
    this.bytes = bytes;
    this.cursor = cursor;
    this.what = what;
    this.separator = separator;
  }

  boolean next() throws MalformedStateException {
    if (seen.isEmpty()) {
      cursor.expect('{');
      if (cursor.take('}')) {
        return false;
      }
    } else if (!cursor.take(',')) {
      cursor.expect('}');
      return false;
    }
    cursor.readKey();
    name = cursor.key();
    if (!seen.add(name)) {
      throw cursor.malformed(name + " stands twice in " + what);
    }
    return true;
  }

  String name() {
    return name;
  }

  /**
   * Keeps an unknown member, which a later version may have written, to be written again unchanged.
   */
  void keep() throws MalformedStateException {
    int start = cursor.keyStart();
    cursor.skipValue();
    kept.ascii(separator).raw(bytes, start, cursor.position());
  }

  byte[] unknown() {
    return kept.length() == 0 ? UnknownMembers.NOTHING : kept.toByteArray();
  }

  <T> T required(@Nullable T value) throws MalformedStateException {
    return require(name, value);
  }

  <T> T require(String member, @Nullable T value) throws MalformedStateException {
    if (value == null) {
      throw new MalformedStateException(member + " is missing in " + what);
    }
    return value;
  }
}
