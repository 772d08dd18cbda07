package dev.kron.notify.channel;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The secrets of a channel, which no text of this class or of a problem shows. */
public final class Secrets {
  public static final Secrets NONE = new Secrets(Map.of());

  /** What is shorter would blot out parts of ordinary words. */
  private static final int SHORTEST = 4;

  private final Map<String, String> values;

  public Secrets(Map<String, String> values) {
    this.values = Map.copyOf(values);
  }

  @Nullable String get(String key) {
    String value = values.get(key);
    return value == null || value.isEmpty() ? null : value;
  }

  /** A text without any of them. */
  String scrub(String text) {
    String clean = text;
    for (String value : values.values()) {
      if (value.length() >= SHORTEST) {
        clean = clean.replace(value, "…");
      }
    }
    return clean;
  }

  @Override
  public String toString() {
    return "Secrets" + values.keySet();
  }
}
