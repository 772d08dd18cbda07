package dev.kron.store;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The wishes of operators for services in {@code supervisor/wishes}, kept beside the supervisor's
 * state so that they survive a loss of that file: a line {@code <service> up|down <profile or ->
 * <instances/the file's or -> <stopped instances or -> <CRC-32C>} for each service. Older lines end
 * after the profile. Damaged lines are skipped.
 */
public final class WishFile {
  static final String FILE = "wishes";
  private static final String NONE = "-";
  private static final int CHECKSUM_LENGTH = 8;

  /**
   * The wish for one service.
   *
   * @param profile the credentials bound to it by command; null for none
   * @param scaledTo the number of instances that an operator wants; null for the file's
   * @param fileInstances the file's number at that time
   * @param stopped the instances that are wanted down although the service is wanted up
   */
  public record Wish(
      ProcessSpec.Desired desired,
      @Nullable String profile,
      @Nullable Integer scaledTo,
      int fileInstances,
      List<Integer> stopped) {
    public Wish {
      stopped = List.copyOf(stopped);
    }
  }

  private WishFile() {}

  static byte[] encode(Collection<ProcessSpec> specs) {
    var text = new StringBuilder();
    for (ProcessSpec spec : specs) {
      if (spec.file().isEmpty()) {
        continue; // it is in no file: if it comes back it is a new one
      }
      String profile = spec.credentialBinding();
      String line =
          "%s %s %s %s %s"
              .formatted(
                  spec.name(),
                  spec.desired() == ProcessSpec.Desired.UP ? "up" : "down",
                  profile == null ? NONE : profile,
                  spec.scaledTo() == null ? NONE : spec.scaledTo() + "/" + spec.instances(),
                  spec.stoppedInstances().isEmpty() ? NONE : numbers(spec.stoppedInstances()));
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
      String[] words = new String(text, StandardCharsets.UTF_8).split(" ");
      if ((words.length == 3 || words.length == 5)
          && line.substring(sum).equals(Arrivals.checksum(text, 0, text.length))) {
        wishes.put(words[0], wish(words));
      }
    }
    return Collections.unmodifiableMap(wishes);
  }

  private static Wish wish(String[] words) {
    String scale = words.length == 5 ? words[3] : NONE;
    String stopped = words.length == 5 ? words[4] : NONE;
    int slash = scale.indexOf('/');
    return new Wish(
        words[1].equals("up") ? ProcessSpec.Desired.UP : ProcessSpec.Desired.DOWN,
        words[2].equals(NONE) ? null : words[2],
        slash < 0 ? null : Integer.valueOf(scale.substring(0, slash)),
        slash < 0 ? 0 : Integer.parseInt(scale.substring(slash + 1)),
        stopped.equals(NONE)
            ? List.of()
            : Arrays.stream(stopped.split(",")).map(Integer::valueOf).toList());
  }

  private static String numbers(List<Integer> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(","));
  }
}
