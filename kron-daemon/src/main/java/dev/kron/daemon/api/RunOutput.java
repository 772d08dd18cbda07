package dev.kron.daemon.api;

import dev.kron.daemon.runs.DroppedMiddle;
import dev.kron.process.FileSpace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;

/** One stream of a run: its file or, once the run is over and wrote little, what was kept of it. */
final class RunOutput {
  private static final int CHUNK = 32 * 1024;

  /** The stream as it was kept without its file; empty if it was not. */
  @FunctionalInterface
  interface Kept {
    byte[] read() throws IOException;
  }

  private final Path file;
  private final Kept kept;

  RunOutput(Path file, Kept kept) {
    this.file = file;
    this.kept = kept;
  }

  Path file() {
    return file;
  }

  long size() throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return kept.read().length; // nothing also where the output goes elsewhere, or has not begun
    }
  }

  /** Hands on what there is from an offset on; returns the offset of what comes next. */
  long copy(long from, LogSink out) throws IOException {
    long position = from;
    try (SeekableByteChannel channel =
        Files.newByteChannel(file, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS))) {
      channel.position(from);
      ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
      // Bytes that are written meanwhile come with the next look, so this one ends.
      long end = channel.size();
      DroppedMiddle dropped = DroppedMiddle.of(file);
      while (position < end) {
        if (dropped.holds(position)) {
          byte[] notice = ("\n" + dropped.notice() + "\n").getBytes(StandardCharsets.UTF_8);
          position = dropped.to();
          out.write(notice, notice.length, position - notice.length);
          channel.position(position);
        }
        long until = position < dropped.from() ? Math.min(end, dropped.from()) : end;
        chunk.clear().limit((int) Math.min(CHUNK, until - position));
        int read = channel.read(chunk);
        if (read <= 0) {
          break;
        }
        long data = chunk.get(0) == 0 ? dataFrom(position, until) : position;
        if (data == position) {
          out.write(chunk.array(), read, position);
          data += read;
        }
        position = data;
        channel.position(position);
      }
    } catch (NoSuchFileException e) {
      return copyKept(position, out);
    }
    return position;
  }

  private long copyKept(long from, LogSink out) throws IOException {
    byte[] all = kept.read();
    if (from >= all.length) {
      return from;
    }
    byte[] rest = Arrays.copyOfRange(all, (int) from, all.length);
    out.write(rest, rest.length, from);
    return all.length;
  }

  /**
   * The position of the next byte that was really written: a command can give its output any
   * length.
   */
  private long dataFrom(long position, long end) throws IOException {
    try (FileSpace space = FileSpace.open(file)) {
      Long data = space.dataFrom(position);
      return data == null ? end : Math.min(data, end);
    }
  }
}
