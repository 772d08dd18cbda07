package dev.kron.daemon.runs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files with mode 0600 from the first moment, whatever the umask. */
public final class Private {
  private static final Set<OpenOption> REPLACE =
      Set.of(
          StandardOpenOption.CREATE,
          StandardOpenOption.WRITE,
          StandardOpenOption.TRUNCATE_EXISTING,
          LinkOption.NOFOLLOW_LINKS);

  private static final Set<OpenOption> APPEND =
      Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);

  private Private() {}

  static void write(Path file, byte[] content) throws IOException {
    write(file, content, REPLACE);
  }

  /** Appends to a file. */
  public static void append(Path file, byte[] content) throws IOException {
    write(file, content, APPEND);
  }

  private static void write(Path file, byte[] content, Set<OpenOption> options) throws IOException {
    var mode = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try (SeekableByteChannel channel = Files.newByteChannel(file, options, mode)) {
      ByteBuffer buffer = ByteBuffer.wrap(content);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }
  }
}
