package dev.kron.scheduler;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A file as it was when somebody opened it. Who holds a file open does not notice that its name was
 * removed, or leads to another file by now.
 *
 * @param key the file system's own name for it; null where it has none
 */
record FileIdentity(Path file, @Nullable Object key) {
  static FileIdentity of(Path file) throws IOException {
    return new FileIdentity(file, key(file));
  }

  private static @Nullable Object key(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }

  /** Whether the name still leads to it. */
  boolean inPlace() {
    try {
      return Objects.equals(key, key(file));
    } catch (IOException gone) {
      return false;
    }
  }
}
