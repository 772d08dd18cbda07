package dev.kron.daemon.api;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reasons why a job could not run at some second of the past, as far as they are kept. */
final class Hindrances {
  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ssxxx");

  private final List<Control.Absence> absences;
  private final List<Control.Hindered> hindered;
  private final ZoneId zone;

  /**
   * @param zone the job's, in which times are written
   */
  Hindrances(List<Control.Absence> absences, List<Control.Hindered> hindered, ZoneId zone) {
    this.absences = List.copyOf(absences);
    this.hindered = List.copyOf(hindered);
    this.zone = zone;
  }

  /** A time as it is written in sentences. */
  static String local(long epochSecond, ZoneId zone) {
    return LOCAL.format(Instant.ofEpochSecond(epochSecond).atZone(zone));
  }

  /** What kept the job from running although the daemon was there; null: nothing is known. */
  Control.@Nullable Hindered hindrance(long second) {
    for (Control.Hindered each : hindered) {
      if (each.from() <= second && second <= each.to()) {
        return each;
      }
    }
    return null;
  }

  String sentence(Control.Hindered hindrance) {
    String from = local(hindrance.from(), zone);
    String when =
        hindrance.to() == Long.MAX_VALUE
            ? " since " + from
            : " from " + from + " to " + local(hindrance.to(), zone);
    String reason = hindrance.reason();
    return switch (hindrance.by()) {
      case SUSPENDED -> "the job was suspended" + when;
      case NOT_IN_FILE -> "the job was in no file" + when;
      case UNWRITABLE ->
          "state could not be written" + when + (reason == null ? "" : " (" + reason + ")");
    };
  }

  /** The hindrance at that second, to be added to a sentence; empty if none is known. */
  String at(long second) {
    for (Control.Absence absence : absences) {
      if (absence.from() <= second && second <= absence.to()) {
        return "; the daemon was down from "
            + local(absence.from(), zone)
            + " to "
            + local(absence.to(), zone);
      }
    }
    Control.Hindered hindrance = hindrance(second);
    return hindrance == null ? "" : "; " + sentence(hindrance);
  }
}
