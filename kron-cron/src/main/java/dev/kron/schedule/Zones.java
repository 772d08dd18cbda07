package dev.kron.schedule;

import dev.kron.text.Suggestion;
import dev.kron.text.VisibleText;
import java.time.ZoneId;
import java.time.zone.ZoneRulesProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** IANA zones by name, one object each however many schedules name them. */
final class Zones {
  static final ZoneId UTC = ZoneId.of("UTC");

  /** Names of the tz database that Java's copy of it leaves out, and what they are links to. */
  private static final Map<String, String> LINKS =
      Map.of(
          "EST", "America/Panama",
          "MST", "America/Phoenix",
          "HST", "Pacific/Honolulu",
          "ROC", "Asia/Taipei",
          "GMT+0", "Etc/GMT",
          "GMT-0", "Etc/GMT",
          "Factory", "Etc/UTC");

  private static final Map<String, ZoneId> FOUND = new ConcurrentHashMap<>(Map.of("UTC", UTC));

  private Zones() {}

  static @Nullable ZoneId find(String name) {
    ZoneId known = FOUND.get(name);
    if (known != null) {
      return known;
    }
    String meant = LINKS.getOrDefault(name, name);
    // ZoneId.of would also take offsets such as +02:00 and UTC+2, which are no zone names.
    if (!ZoneRulesProvider.getAvailableZoneIds().contains(meant)) {
      return null;
    }
    ZoneId zone = ZoneId.of(meant);
    ZoneId before = FOUND.putIfAbsent(name, zone);
    return before == null ? zone : before;
  }

  static String unknown(String name) {
    List<String> names = Sorted.NAMES;
    String meant =
        names.stream()
            .filter(zone -> zone.substring(zone.lastIndexOf('/') + 1).equalsIgnoreCase(name))
            .findFirst()
            .orElseGet(() -> Suggestion.nearest(names, name));
    return "unknown time zone "
        + VisibleText.quote(name)
        + (meant == null ? "" : " (did you mean " + VisibleText.quote(meant) + "?)")
        + "; expected an IANA name such as Europe/Paris or UTC";
  }

  /** Made when the first mistake is. */
  private static final class Sorted {
    static final List<String> NAMES =
        ZoneRulesProvider.getAvailableZoneIds().stream().sorted().toList();
  }
}
