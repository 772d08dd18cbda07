package dev.kron.cli.output;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A terminal as a whole, drawn anew again and again. What was there before comes back at the end,
 * also when the user interrupts.
 */
public final class Screen implements AutoCloseable {
  private static final String ENTER = "\u001b[?1049h\u001b[?25l";
  private static final String LEAVE = "\u001b[?25h\u001b[?1049l";
  private static final int USUAL_HEIGHT = 24;

  private final Output terminal;
  private final Keyboard keyboard;
  private final Thread restore = new Thread(this::restore);
  private int height = USUAL_HEIGHT;
  private int width;
  private ByteArrayOutputStream page = new ByteArrayOutputStream();
  private Output output;
  private boolean left;

  public Screen(Output terminal) throws IOException {
    this.terminal = terminal;
    this.width = terminal.width();
    this.keyboard = Keyboard.open();
    this.output = terminal.onto(page, width);
    Runtime.getRuntime().addShutdownHook(restore);
    measure();
    terminal.raw(ENTER);
    terminal.flush();
  }

  /** Looks how large it is now. */
  public void measure() {
    Keyboard.Size size = keyboard.size();
    if (size.rows() > 0 && size.columns() > 0) {
      height = size.rows();
      width = size.columns();
    }
  }

  public Keyboard keyboard() {
    return keyboard;
  }

  public int height() {
    return height;
  }

  public int width() {
    return width;
  }

  /** Begins a new picture. */
  public void begin() {
    page = new ByteArrayOutputStream();
    output = terminal.onto(page, width);
  }

  /** Where to draw it. */
  public Output output() {
    return output;
  }

  private String[] lines() throws IOException {
    output.flush();
    String text = page.toString(StandardCharsets.UTF_8);
    return (text.endsWith("\n") ? text.substring(0, text.length() - 1) : text).split("\n", -1);
  }

  /** Shows it. Line by line over the old one, so that nothing flickers. */
  public synchronized void end() throws IOException {
    if (left) {
      return;
    }
    String[] lines = lines();
    terminal.raw("\u001b[H");
    for (int i = 0; i < Math.min(lines.length, height); i++) {
      if (i > 0) {
        terminal.raw("\r\n");
      }
      byte[] line = cut(lines[i]).getBytes(StandardCharsets.UTF_8);
      terminal.octets(line, 0, line.length);
      terminal.raw("\u001b[0m\u001b[K");
    }
    terminal.raw("\u001b[J");
    terminal.flush();
  }

  /** As much of a line as is seen, its colours apart. */
  private String cut(String line) {
    int seen = 0;
    int at = 0;
    while (at < line.length() && seen < width) {
      if (line.charAt(at) == '\u001b') {
        at = line.indexOf('m', at) + 1;
      } else {
        at++;
        seen++;
      }
    }
    return line.substring(0, at);
  }

  private synchronized void restore() {
    if (!left) {
      left = true;
      try {
        terminal.raw(LEAVE);
        terminal.flush();
      } catch (IOException e) {
        // There is no terminal any more.
      }
      keyboard.close();
    }
  }

  @Override
  public void close() {
    restore();
    try {
      Runtime.getRuntime().removeShutdownHook(restore);
    } catch (IllegalStateException e) {
      // It is running.
    }
  }
}
