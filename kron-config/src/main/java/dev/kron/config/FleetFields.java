package dev.kron.config;

import dev.kron.job.FleetRules;
import dev.kron.job.FleetRules.Loss;
import dev.kron.job.Placement;
import dev.kron.text.VisibleText;
import org.jspecify.annotations.Nullable;

/** The fields of an entry that only the krontabs of a fleet have. */
final class FleetFields {
  private final Line line;
  private final FleetKrontab krontab;
  private Placement on = Placement.ANY;
  private Loss loss = Loss.SKIP;

  FleetFields(Line line, FleetKrontab krontab) {
    this.line = line;
    this.krontab = krontab;
  }

  void set(Key key, String value, int start) {
    switch (key) {
      case ON -> on = placement(value, start);
      case LOSS -> loss = loss(value, start);
      default -> throw new IllegalArgumentException(key.text);
    }
  }

  private Placement placement(String value, int start) {
    @Nullable Placement read = Placement.parse(value);
    if (read != null) {
      return read;
    }
    line.error(
        start,
        "on is "
            + VisibleText.quote(value)
            + "; expected any, all, \"label:NAME\" or \"label:NAME,all\"");
    return Placement.ANY;
  }

  private Loss loss(String value, int start) {
    if (value.equals("rerun")) {
      return Loss.RERUN;
    }
    if (!value.equals("skip")) {
      line.error(start, "loss is " + VisibleText.quote(value) + "; expected skip or rerun");
    }
    return Loss.SKIP;
  }

  Placement on() {
    return on;
  }

  FleetRules rules() {
    return new FleetRules(krontab.below(), on, loss, krontab.node());
  }
}
