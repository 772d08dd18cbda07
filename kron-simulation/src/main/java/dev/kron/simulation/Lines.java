package dev.kron.simulation;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Hands on what is written, line by line. */
final class Lines extends OutputStream {
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final Consumer<String> lines;

  Lines(Consumer<String> lines) {
    this.lines = lines;
  }

  @Override
  public void write(int b) {
    if (b == '\n') {
      lines.accept(line.toString(StandardCharsets.UTF_8));
      line.reset();
    } else {
      line.write(b);
    }
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    int from = offset;
    for (int at = offset; at < offset + length; at++) {
      if (bytes[at] == '\n') {
        line.write(bytes, from, at - from);
        write('\n');
        from = at + 1;
      }
    }
    line.write(bytes, from, offset + length - from);
  }
}
