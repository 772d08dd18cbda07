package dev.kron.store;

import java.nio.file.Path;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/**
 * Names for files that are put aside, {@code <filename>.corrupt.<timestamp>}; never one that
 * exists.
 */
record QuarantineNames(Disk disk, InstantSource clock) {
  static final String MARK = ".corrupt.";

  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  Path nameFor(Path file) throws DiskException {
    String base = file.getFileName() + MARK + STAMP.format(clock.instant());
    Path path = file.resolveSibling(base);
    for (int i = 2; disk.status(path) != null; i++) {
      path = file.resolveSibling(base + "-" + i);
    }
    return path;
  }
}
