package dev.kron.store;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The wishes of operators for services in {@code supervisor/wishes}, kept beside the supervisor's
 * state so that they survive a loss of that file: a line {@code <service> up|down <profile or ->
 * <CRC-32C>} for each service. Damaged lines are skipped.
 */
public final class WishFile {
  static final String FILE = "wishes";
  private static final String UNBOUND = "-";
  private static final int CHECKSUM_LENGTH = 8;

  /**
   * The wish for one service.
   *
   * @param profile the credentials bound to it by command; null for none
   */
  public record Wish(ProcessSpec.Desired desired, @Nullable String profile) {}

  private WishFile() {}

  static byte[] encode(Collection<ProcessSpec> specs) {
    var text = new StringBuilder();
    for (ProcessSpec spec : specs) {
      if (spec.file().isEmpty()) {
        continue; // it is in no file: if it comes back it is a new one
      }
      String profile = spec.credentialBinding();
      String line =
          "%s %s %s"
              .formatted(
                  spec.name(),
                  spec.desired() == ProcessSpec.Desired.UP ? "up" : "down",
                  profile == null ? UNBOUND : profile);
      byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
      text.append(line).append(' ').append(Arrivals.checksum(bytes, 0, bytes.length)).append('\n');
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  static Map<String, Wish> read(byte[] content) {
    Map<String, Wish> wishes = new LinkedHashMap<>();
    for (String line : new String(content, StandardCharsets.UTF_8).split("\n")) {
      int sum = line.length() - CHECKSUM_LENGTH;
      byte[] text = line.substring(0, Math.max(0, sum - 1)).getBytes(StandardCharsets.UTF_8);
      String[] words = new String(text, StandardCharsets.UTF_8).split(" ", 3);
      if (words.length == 3
          && line.substring(sum).equals(Arrivals.checksum(text, 0, text.length))) {
        wishes.put(
            words[0],
            new Wish(
                words[1].equals("up") ? ProcessSpec.Desired.UP : ProcessSpec.Desired.DOWN,
                words[2].equals(UNBOUND) ? null : words[2]));
      }
    }
    return Collections.unmodifiableMap(wishes);
  }
}
