package dev.kron.cli.output;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The keyboard and size of the terminal. Keys come one by one. Java knows neither, {@code stty}
 * knows both. Ctrl-C still ends the program.
 */
public final class Keyboard implements AutoCloseable {
  private static final File TERMINAL = new File("/dev/tty");
  private static final int ESCAPE = 0x1b;
  private static final long SEQUENCE_NANOS = 50_000_000;

  /** The meaning of a key in a list. */
  public enum Stroke {
    UP,
    DOWN,
    PAGE_UP,
    PAGE_DOWN,
    FIRST,
    LAST,
    NEXT,
    PREVIOUS,
    OPEN,
    BACK,
    ERASE,
    QUIT,
    ONE,
    TWO,
    THREE,
    FOUR,
    FIVE,
    NOTHING
  }

  /**
   * A key that was pressed.
   *
   * @param letter what it writes where text is typed, 0 where nothing
   */
  public record Key(Stroke stroke, char letter) {}

  /**
   * The size of the terminal.
   *
   * @param rows lines; 0 if unknown
   * @param columns 0 if unknown
   */
  public record Size(int rows, int columns) {}

  private final @Nullable String settings;
  private final BlockingQueue<Key> keys = new LinkedBlockingQueue<>();

  private Keyboard(@Nullable String settings) {
    this.settings = settings;
  }

  /** Takes the keys from the terminal; without one, no key is ever pressed. */
  public static Keyboard open() {
    String settings = stty("-g");
    var keyboard = new Keyboard(settings);
    if (settings != null
        && stty("-icanon", "-echo", "min", "1", "time", "0", "susp", "undef") != null) {
      Thread.ofPlatform().daemon().name("kron-keys").start(keyboard::read);
    }
    return keyboard;
  }

  /** The next key; null where none is pressed within the time. */
  public @Nullable Key next(long millis) throws InterruptedException {
    return keys.poll(millis, TimeUnit.MILLISECONDS);
  }

  /** The present size, since people resize windows. */
  public Size size() {
    String text = stty("size");
    String[] numbers = text == null ? new String[0] : text.split(" ");
    try {
      return numbers.length == 2
          ? new Size(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]))
          : new Size(0, 0);
    } catch (NumberFormatException e) {
      return new Size(0, 0);
    }
  }

  private void read() {
    try (InputStream in = new FileInputStream(TERMINAL)) {
      for (Key key = decode(in); key != null; key = decode(in)) {
        keys.add(key);
      }
    } catch (IOException e) {
      // The terminal is gone; whoever draws on it will see that too.
    }
  }

  /** Null at the end. */
  static @Nullable Key decode(InputStream in) throws IOException {
    int octet = in.read();
    return octet < 0
        ? null
        : new Key(stroke(octet, in), octet >= ' ' && octet < 0x7f ? (char) octet : 0);
  }

  private static Stroke stroke(int octet, InputStream in) throws IOException {
    return switch (octet) {
      case 'q', 'Q' -> Stroke.QUIT;
      case 'k' -> Stroke.UP;
      case 'j' -> Stroke.DOWN;
      case ' ' -> Stroke.PAGE_DOWN;
      case 'b' -> Stroke.PAGE_UP;
      case 'g' -> Stroke.FIRST;
      case 'G' -> Stroke.LAST;
      case '\t' -> Stroke.NEXT;
      case '\n', '\r' -> Stroke.OPEN;
      case 0x7f, '\b' -> Stroke.ERASE;
      case '1' -> Stroke.ONE;
      case '2' -> Stroke.TWO;
      case '3' -> Stroke.THREE;
      case '4' -> Stroke.FOUR;
      case '5' -> Stroke.FIVE;
      case ESCAPE -> goesOn(in) ? sequence(in) : Stroke.BACK;
      default -> Stroke.NOTHING;
    };
  }

  /** Whether an escape is the begin of more: a slow line may bring the rest a moment later. */
  private static boolean goesOn(InputStream in) throws IOException {
    long end = System.nanoTime() + SEQUENCE_NANOS;
    while (in.available() == 0) {
      if (System.nanoTime() > end) {
        return false;
      }
      LockSupport.parkNanos(SEQUENCE_NANOS / 10);
    }
    return true;
  }

  /**
   * The sequences that terminals send for keys without a letter: {@code ESC [ A}, {@code ESC [ 5
   * ~}.
   */
  private static Stroke sequence(InputStream in) throws IOException {
    int introducer = in.read();
    if (introducer != '[' && introducer != 'O') {
      return Stroke.NOTHING;
    }
    var parameters = new StringBuilder();
    int octet = in.read();
    while (octet >= 0x20 && octet < 0x40 && parameters.length() < 16) {
      parameters.append((char) octet);
      octet = in.read();
    }
    return switch (octet) {
      case 'A' -> Stroke.UP;
      case 'B' -> Stroke.DOWN;
      case 'C' -> Stroke.NEXT;
      case 'D', 'Z' -> Stroke.PREVIOUS;
      case 'H' -> Stroke.FIRST;
      case 'F' -> Stroke.LAST;
      case '~' ->
          switch (parameters.toString()) {
            case "1", "7" -> Stroke.FIRST;
            case "4", "8" -> Stroke.LAST;
            case "5" -> Stroke.PAGE_UP;
            case "6" -> Stroke.PAGE_DOWN;
            default -> Stroke.NOTHING;
          };
      default -> Stroke.NOTHING;
    };
  }

  /** The output of {@code stty}; null if there is no terminal, or no such program. */
  private static @Nullable String stty(String... words) {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(words));
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(TERMINAL)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String text =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
      return process.waitFor() == 0 ? text : null;
    } catch (IOException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /** Gives the keys back. */
  @Override
  public void close() {
    if (settings != null) {
      stty(settings);
    }
  }
}
