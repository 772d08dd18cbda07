package dev.kron.schedule;

import java.time.ZoneId;
import java.time.zone.ZoneRulesProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** IANA zones by name, one object each however many schedules name them. */
final class Zones {
  static final ZoneId UTC = ZoneId.of("UTC");

  private static final Map<String, ZoneId> FOUND = new ConcurrentHashMap<>(Map.of("UTC", UTC));

  private Zones() {}

  static @Nullable ZoneId find(String name) {
    ZoneId known = FOUND.get(name);
    if (known != null) {
      return known;
    }
    // ZoneId.of would also take offsets such as +02:00 and UTC+2, which are no zone names.
    if (!ZoneRulesProvider.getAvailableZoneIds().contains(name)) {
      return null;
    }
    return FOUND.computeIfAbsent(name, ZoneId::of);
  }

  static String unknown(String name) {
    List<String> names = Sorted.NAMES;
    String meant =
        names.stream()
            .filter(zone -> zone.substring(zone.lastIndexOf('/') + 1).equalsIgnoreCase(name))
            .findFirst()
            .orElseGet(() -> Suggestion.nearest(name, names));
    return "unknown time zone "
        + Quote.of(name)
        + (meant == null ? "" : " (did you mean " + Quote.of(meant) + "?)")
        + "; expected an IANA name such as Europe/Paris or UTC";
  }

  /** Made when the first mistake is. */
  private static final class Sorted {
    static final List<String> NAMES =
        ZoneRulesProvider.getAvailableZoneIds().stream().sorted().toList();
  }
}
