package dev.kron.notify.channel;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The secrets of a channel, which no text of this class or of a problem shows. */
public final class Secrets {
  public static final Secrets NONE = new Secrets(Map.of());

  /** The shortest secret that is hidden: shorter ones would blot out parts of ordinary words. */
  private static final int SHORTEST = 4;

  /** A part of an address that is shorter is a word, such as {@code hooks}. */
  private static final int SHORTEST_PART = 8;

  private final Map<String, String> values;

  /** The texts that nothing may show, longest first, since one may be a part of another. */
  private final List<String> hidden;

  public Secrets(Map<String, String> values) {
    this.values = Map.copyOf(values);
    this.hidden =
        values.values().stream()
            .flatMap(value -> Stream.concat(Stream.of(value), partsOfAddress(value).stream()))
            .filter(text -> text.length() >= SHORTEST)
            .distinct()
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
  }

  /** The parts that a receiver's answer may quote: the path, the query, and what is in them. */
  private static List<String> partsOfAddress(String value) {
    URI uri;
    try {
      uri = new URI(value.replace("{name}", "/")); // of a ping, which stands there in other words
    } catch (URISyntaxException e) {
      return List.of();
    }
    if (uri.getHost() == null) {
      return List.of();
    }
    List<String> parts = new ArrayList<>();
    Stream.of(uri.getRawPath(), uri.getPath(), uri.getRawQuery(), uri.getQuery())
        .filter(text -> text != null)
        .forEach(
            text -> {
              parts.add(text);
              Stream.of(text.split("[/?&=]"))
                  .filter(part -> part.length() >= SHORTEST_PART)
                  .forEach(parts::add);
            });
    Stream.of(uri.getRawUserInfo(), uri.getUserInfo())
        .filter(text -> text != null)
        .forEach(
            text -> {
              parts.add(text);
              parts.add(text.substring(text.indexOf(':') + 1));
            });
    return parts;
  }

  @Nullable String get(String key) {
    String value = values.get(key);
    return value == null || value.isEmpty() ? null : value;
  }

  /** A text without any of them. */
  String scrub(String text) {
    String clean = text;
    for (String value : hidden) {
      clean = clean.replace(value, "…");
    }
    return clean;
  }

  @Override
  public String toString() {
    return "Secrets" + values.keySet();
  }
}
