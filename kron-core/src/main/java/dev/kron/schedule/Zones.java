package dev.kron.schedule;

import java.time.ZoneId;
import java.time.zone.ZoneRulesProvider;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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
    Set<String> names = new TreeSet<>(ZoneRulesProvider.getAvailableZoneIds());
    String city = name.replace(' ', '_');
    String meant =
        names.stream()
            .filter(zone -> zone.regionMatches(true, zone.lastIndexOf('/') + 1, city, 0, 99))
            .filter(zone -> zone.length() - zone.lastIndexOf('/') - 1 == city.length())
            .findFirst()
            .orElseGet(() -> Suggestion.nearest(name, names));
    return "unknown time zone "
        + Quote.of(name)
        + (meant == null ? "" : "; did you mean " + Quote.of(meant) + "?")
        + "; expected an IANA name such as Europe/Paris or UTC";
  }
}
