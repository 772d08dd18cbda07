package dev.kron.store;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The history of a service's instance over its whole life, for people.
 *
 * @param restarts the number of restarts without a request
 * @param byHour the number of such restarts in each of the last 25 hours, by hours since the epoch
 * @param lastExit how its process last ended; null if none has ended
 * @param lastExitAt epoch millis, 0 if none has ended
 */
public record ServicePast(
    int restarts, Map<Long, Integer> byHour, @Nullable String lastExit, long lastExitAt) {
  public static final ServicePast NONE = new ServicePast(0, Map.of(), null, 0);

  private static final long HOUR_MILLIS = 3_600_000;
  private static final int HOURS = 25;

  public ServicePast {
    byHour = Map.copyOf(byHour);
    lastExitAt = lastExit == null ? 0 : lastExitAt;
  }

  /** The same after one more restart. */
  public ServicePast restarted(long epochMillis) {
    long hour = Math.floorDiv(epochMillis, HOUR_MILLIS);
    Map<Long, Integer> hours = new TreeMap<>(byHour);
    hours.keySet().removeIf(old -> old <= hour - HOURS || old > hour + HOURS);
    hours.merge(hour, 1, Integer::sum);
    return new ServicePast(restarts + 1, hours, lastExit, lastExitAt);
  }

  /** The same after its process has ended. */
  public ServicePast ended(String how, long epochMillis) {
    return new ServicePast(restarts, byHour, how, epochMillis);
  }

  /** The restarts in the last 24 hours, counted by whole hours. */
  public int restartsLastDay(long nowMillis) {
    long from = Math.floorDiv(nowMillis, HOUR_MILLIS) - HOURS + 1;
    return byHour.entrySet().stream()
        .filter(hour -> hour.getKey() >= from)
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  /** The hours as they are written: {@code 494000:3 494001:1}. */
  String hoursText() {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(byHour)
        .forEach(
            (hour, count) ->
                text.append(text.isEmpty() ? "" : " ").append(hour).append(':').append(count));
    return text.toString();
  }

  /** Reads the output of {@link #hoursText}; anything that is no number is left out. */
  static Map<Long, Integer> hours(String text) {
    Map<Long, Integer> hours = new TreeMap<>();
    for (String word : text.split(" ")) {
      int colon = word.indexOf(':');
      try {
        int count = colon > 0 ? Integer.parseInt(word.substring(colon + 1)) : 0;
        if (count > 0 && hours.size() < HOURS) {
          hours.put(Long.parseLong(word.substring(0, colon)), count);
        }
      } catch (NumberFormatException e) {
        // The counts are for people: one that is damaged is left out.
      }
    }
    return hours;
  }
}
