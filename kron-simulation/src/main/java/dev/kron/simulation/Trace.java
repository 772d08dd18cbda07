package dev.kron.simulation;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * The events of a history, line by line, for those who want to read it; for all others it costs
 * nothing.
 */
public final class Trace {
  private final boolean kept;
  private final List<String> lines = new ArrayList<>();
  private Supplier<String> time = () -> "";

  public Trace(boolean kept) {
    this.kept = kept;
  }

  /** The text that stands before each line from now on. */
  public void times(Supplier<String> now) {
    time = now;
  }

  void times(SimulatedClock clock) {
    times(
        () ->
            String.format(
                Locale.ROOT,
                "%12.6f %s",
                clock.nanos() / 1e9,
                Instant.ofEpochMilli(clock.wallMillis())));
  }

  boolean isKept() {
    return kept;
  }

  /** Says it only where somebody listens. */
  public void say(Supplier<String> line) {
    if (kept) {
      lines.add(time.get() + "  " + line.get());
    }
  }

  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** Two histories that are the same byte for byte have the same. */
  String hash() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String line : lines) {
        digest.update(line.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) '\n');
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
