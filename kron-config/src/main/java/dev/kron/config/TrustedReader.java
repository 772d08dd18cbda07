package dev.kron.config;

import dev.kron.text.VisibleText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The reader of whole files that can be trusted and are not too large. */
final class TrustedReader {
  private static final int ATTEMPTS = 5;
  private static final int MOST_LINKS = 40;

  private final ConfigFiles.Settings settings;
  private final Trust trust;
  private boolean privately;

  TrustedReader(ConfigFiles.Settings settings, Trust trust) {
    this.settings = settings;
    this.trust = trust;
  }

  /** The result of reading. */
  static final class Reading {
    private final byte[] content;
    private final @Nullable String problem;

    private Reading(byte[] content, @Nullable String problem) {
      this.content = content;
      this.problem = problem;
    }

    static Reading refused(String problem) {
      return new Reading(new byte[0], problem);
    }

    /**
     * The content; empty if there is a problem. Not copied: it may be large, and has one reader.
     */
    byte[] content() {
      return content;
    }

    /** The reason why the file is refused, or null. */
    @Nullable String problem() {
      return problem;
    }
  }

  /**
   * Reads a file.
   *
   * @param file absolute and normalised
   * @throws IOException if it cannot be read at all
   */
  Reading read(Path file) throws IOException {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      @Nullable Reading reading = attempt(file);
      if (reading != null) {
        return reading;
      }
    }
    return Reading.refused(
        "the file keeps changing while it is read; write it under another name and rename it");
  }

  /** Reads a file with secrets, which only its owner may be able to read. */
  Reading readPrivate(Path file) throws IOException {
    privately = true;
    try {
      return read(file);
    } finally {
      privately = false;
    }
  }

  /** Tries to read; null if the file changed meanwhile. */
  private @Nullable Reading attempt(Path file) throws IOException {
    Path at = file;
    for (int links = 0; links <= MOST_LINKS; links++) {
      Trust.Way way = trust.toDirectory(parent(at));
      if (settings.secure() && way.problem() != null) {
        return Reading.refused(way.problem());
      }
      Path real = way.end().resolve(at.getFileName());
      ConfigFileStatus status = ConfigFileStatus.of(real);
      if (!status.isLink()) {
        return regular(real, status);
      }
      if (!settings.followLinks()) {
        return Reading.refused(
            "the file is a symbolic link, which is followed only with --follow-symlinks; or put the"
                + " file itself here");
      }
      @Nullable String problem = trust.ownerProblem(real, status);
      if (settings.secure() && problem != null) {
        return Reading.refused(problem);
      }
      at = way.end().resolve(Files.readSymbolicLink(real));
    }
    return Reading.refused("too many symbolic links, one leading to the next");
  }

  private static Path parent(Path path) {
    Path parent = path.getParent();
    return parent == null ? path : parent;
  }

  private @Nullable Reading regular(Path file, ConfigFileStatus before) throws IOException {
    // The kind is checked before opening: opening a pipe would wait for a writer.
    if (!before.isRegular()) {
      return Reading.refused("this is " + before.type() + ", not a regular file");
    }
    @Nullable String problem = settings.secure() ? trust.fileProblem(file, before) : null;
    if (problem == null && privately && (before.mode() & 0077) != 0) {
      problem =
          "the file has mode %04o, so that others can read its secrets: chmod 0600 %s"
              .formatted(before.mode() & 07777, VisibleText.of(file.toString()));
    }
    if (problem != null) {
      return Reading.refused(problem);
    }
    if (before.size() > settings.maximumFileBytes()) {
      return Reading.refused(tooLarge(before.size()));
    }
    byte[] content;
    try (InputStream in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
      content = whole(in, (int) before.size());
    }
    return ConfigFileStatus.of(file).isSameAs(before) ? new Reading(content, null) : null;
  }

  /** Reads into one array of the file's size, so that a large file is not in memory twice. */
  private static byte[] whole(InputStream in, int size) throws IOException {
    byte[] content = new byte[size];
    int read = in.readNBytes(content, 0, size);
    return read == size ? content : Arrays.copyOf(content, read);
  }

  private String tooLarge(long size) {
    return "the file has "
        + size
        + " bytes, the limit is "
        + settings.maximumFileBytes()
        + "; split it into several files, or raise the limit";
  }
}
