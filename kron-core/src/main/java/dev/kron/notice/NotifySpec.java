package dev.kron.notice;

import dev.kron.notice.Subject.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The contents of a {@code notify.toml}.
 *
 * @param channels by name, in the order of the file
 */
public record NotifySpec(Map<String, Channel> channels, List<Rule> rules) {
  public static final NotifySpec NONE = new NotifySpec(Map.of(), List.of());

  public NotifySpec {
    channels = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(channels));
    rules = List.copyOf(rules);
  }

  /** The rules for a subject, in the order of the file. */
  public List<Rule> rulesFor(Subject subject) {
    List<Rule> found = new ArrayList<>(2);
    for (Rule rule : rules) {
      if (rule.isFor(subject)) {
        found.add(rule);
      }
    }
    return found;
  }

  public boolean hasRulesFor(Kind kind) {
    return rules.stream().anyMatch(rule -> rule.kind() == kind);
  }
}
