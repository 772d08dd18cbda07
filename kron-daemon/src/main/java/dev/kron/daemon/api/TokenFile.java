package dev.kron.daemon.api;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;

/** The token for the API by TCP: a line in a file that only its owner can read. */
final class TokenFile {
  private static final int BYTES = 32;
  private static final int SHORTEST = 16;
  private static final int LONGEST = 1024;

  private TokenFile() {}

  static byte[] readOrMake(Path file) throws IOException {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      make(file);
    }
    PosixFileAttributes found =
        Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    String self = Files.getOwner(Path.of("/proc/self")).getName();
    if (!found.isRegularFile()
        || !found.owner().getName().equals(self)
        || !PosixFilePermissions.toString(found.permissions()).endsWith("------")) {
      throw new ControlSocket.UnusableException(
          "the token file %s must be a file of %s's own with mode 0600".formatted(file, self));
    }
    String token = found.size() > LONGEST ? "" : Files.readString(file).strip();
    if (token.length() < SHORTEST) {
      throw new ControlSocket.UnusableException(
          "the token in %s must have %s to %s characters".formatted(file, SHORTEST, LONGEST));
    }
    return token.getBytes(StandardCharsets.UTF_8);
  }

  private static void make(Path file) throws IOException {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    byte[] line = (HexFormat.of().formatHex(random) + "\n").getBytes(StandardCharsets.US_ASCII);
    try (var channel =
        Files.newByteChannel(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      channel.write(java.nio.ByteBuffer.wrap(line));
    }
  }
}
