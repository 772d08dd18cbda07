package dev.kron.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The path from older versions of the state file to this one. */
final class Migrations {
  private final List<Migration> steps;

  Migrations(List<Migration> steps) {
    this.steps = List.copyOf(steps);
  }

  static boolean isNewer(String version) {
    // "1.2" is newer than "1.1", although both have the same major number.
    int major = Integer.parseInt(version.split("\\.", -1)[0]);
    int current = Integer.parseInt(StateReader.PLAIN_VERSION);
    return major > current || (major == current && !StateReader.isKnown(version));
  }

  /** Converts a file to this version. */
  byte[] migrate(byte[] file) throws MalformedStateException {
    List<String> passed = new ArrayList<>();
    byte[] current = file;
    String version = StateReader.version(current, current.length);
    while (!StateReader.isKnown(version)) {
      passed.add(version);
      Migration step = step(version);
      if (step == null) {
        throw new MalformedStateException("there is no migration from version " + version);
      }
      current = step.step().apply(current);
      String next = StateReader.version(current, current.length);
      if (!next.equals(step.to()) || passed.contains(next)) {
        throw new MalformedStateException(
            "the migration from version " + version + " made a version " + next);
      }
      version = next;
    }
    checkKept(file, current, "Identity");
    checkKept(file, current, "LastHandledPeriodID");
    return current;
  }

  private @Nullable Migration step(String from) {
    return steps.stream().filter(step -> step.from().equals(from)).findFirst().orElse(null);
  }

  private static void checkKept(byte[] before, byte[] after, String name)
      throws MalformedStateException {
    String old = member(before, name);
    if (old != null && !Objects.equals(old, member(after, name))) {
      throw new MalformedStateException("the migration changed " + name);
    }
  }

  private static @Nullable String member(byte[] file, String name) throws MalformedStateException {
    JsonCursor cursor = new JsonCursor(file, 0, file.length);
    String value = null;
    cursor.expect('{');
    if (!cursor.take('}')) {
      do {
        cursor.readKey();
        if (cursor.keyIs(name) && cursor.peek() == '"') {
          value = cursor.readString();
        } else {
          cursor.skipValue();
        }
      } while (cursor.take(','));
    }
    return value;
  }
}
