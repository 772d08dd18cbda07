package dev.kron.store;

import dev.kron.store.DiskException.Reason;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A file of a state directory that grows by lines: messages to be sent, the runs of a fleet. */
public final class LineJournal {
  private static final int LIMIT_BYTES = 64 << 20;
  private static final long UNKNOWN = -1;

  private final Disk disk;
  private final Path file;
  private final StateSettings settings;
  private final LineLog log;
  private long size = UNKNOWN;

  LineJournal(Disk disk, Path file, StateSettings settings) {
    this.disk = disk;
    this.file = file;
    this.settings = settings;
    this.log = new LineLog(disk, file, LIMIT_BYTES);
  }

  /** All lines; none if there is no file. */
  public List<String> read() throws DiskException {
    return new String(log.read(), StandardCharsets.UTF_8).lines().toList();
  }

  /** Whether the file is as this daemon left it. */
  public boolean isIntact() throws DiskException {
    FileStatus status = disk.status(file);
    return status != null && status.size() == size;
  }

  /** Appends lines; durable when it returns. */
  public void append(List<String> lines) throws DiskException {
    byte[] bytes = bytes(lines);
    long before = size;
    size = UNKNOWN;
    log.append(output -> output.write(bytes, 0, bytes.length));
    size = before + bytes.length;
  }

  /** Replaces all lines; durable when it returns. */
  public void replace(List<String> lines) throws DiskException {
    byte[] bytes = bytes(lines);
    size = UNKNOWN;
    log.replace(output -> output.write(bytes, 0, bytes.length));
    size = bytes.length;
  }

  /** Keeps a copy of the present file, for people to look at. */
  public void keepAside() throws DiskException {
    byte[] content;
    try {
      content = new AtomicFiles(disk).read(file, LIMIT_BYTES);
    } catch (DiskException e) {
      if (e.reason() == Reason.NOT_FOUND) {
        return;
      }
      throw e;
    }
    Path copy = new QuarantineNames(disk, settings.clock()).nameFor(file);
    try (Disk.Output output = disk.create(copy)) {
      output.write(content, 0, content.length);
      output.sync();
    }
  }

  private static byte[] bytes(List<String> lines) {
    var text = new StringBuilder();
    lines.forEach(line -> text.append(line).append('\n'));
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
