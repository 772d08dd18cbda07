package dev.kron.notify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A journal in memory that fails when it is told to, and outlives those who write to it. */
final class MemoryJournal implements Journal {
  final List<String> lines = new ArrayList<>();
  int asides;
  int writes;

  /** Writes that still work; then the disk is full. */
  int left = Integer.MAX_VALUE;

  private int written;

  @Override
  public List<String> read() {
    return List.copyOf(lines);
  }

  @Override
  public boolean isIntact() {
    return lines.size() == written;
  }

  @Override
  public void append(List<String> added) throws IOException {
    write();
    lines.addAll(added);
    written = lines.size();
  }

  @Override
  public void replace(List<String> all) throws IOException {
    write();
    lines.clear();
    lines.addAll(all);
    written = lines.size();
  }

  private void write() throws IOException {
    if (left == 0) {
      throw new IOException("no space left on device");
    }
    left--;
    writes++;
  }

  @Override
  public void keepAside() {
    asides++;
  }
}
