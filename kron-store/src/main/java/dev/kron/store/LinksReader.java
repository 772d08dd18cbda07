package dev.kron.store;

import dev.kron.job.Links.Owed;
import java.util.ArrayList;
import java.util.List;

/** The reader of links of chains that are under way between jobs. */
final class LinksReader {
  private LinksReader() {}

  static List<Owed> owed(JsonCursor cursor) throws MalformedStateException {
    List<Owed> owed = new ArrayList<>();
    cursor.expect('[');
    if (!cursor.take(']')) {
      do {
        owed.add(one(cursor));
      } while (cursor.take(','));
      cursor.expect(']');
    }
    return owed;
  }

  private static Owed one(JsonCursor cursor) throws MalformedStateException {
    String target = "";
    String cause = "";
    long at = Timestamps.EMPTY;
    cursor.expect('{');
    if (!cursor.take('}')) {
      do {
        cursor.readKey();
        switch (cursor.key()) {
          case "Target" -> target = cursor.readString();
          case "Cause" -> cause = cursor.readString();
          case "SucceededAt" -> at = cursor.readMillis();
          default -> cursor.skipValue();
        }
      } while (cursor.take(','));
      cursor.expect('}');
    }
    if (target.isEmpty() || cause.isEmpty() || at == Timestamps.EMPTY) {
      throw cursor.malformed("a link has Target, Cause and SucceededAt");
    }
    return new Owed(target, cause, at);
  }

  static List<String> taken(JsonCursor cursor) throws MalformedStateException {
    List<String> taken = new ArrayList<>();
    cursor.expect('[');
    if (!cursor.take(']')) {
      do {
        taken.add(cursor.readString());
      } while (cursor.take(','));
      cursor.expect(']');
    }
    return taken;
  }
}
