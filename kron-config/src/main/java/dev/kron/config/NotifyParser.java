package dev.kron.config;

import dev.kron.config.ServicePlaces.Place;
import dev.kron.notice.Channel;
import dev.kron.notice.NotifySpec;
import dev.kron.notice.Rule;
import dev.kron.notice.Subject.Kind;
import dev.kron.notice.Word;
import dev.kron.schedule.GoDuration;
import dev.kron.text.Suggestion;
import dev.kron.text.VisibleText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlPosition;
import org.tomlj.TomlTable;

/**
 * The parser of {@code notify.toml}. Total: whatever the bytes are, the result is a {@link
 * NotifyFile} that contains all problems.
 */
final class NotifyParser {
  private static final List<String> RULE_KEYS =
      List.of("jobs", "services", "daemon", "on", "notify", "again_after");

  /** The words that apply to each kind of subject. */
  private static final Map<Kind, Set<Word>> WORDS =
      Map.of(
          Kind.JOB,
          EnumSet.complementOf(EnumSet.of(Word.FLAPPING, Word.UNHEALTHY)),
          Kind.SERVICE,
          EnumSet.of(Word.FAILED, Word.FLAPPING, Word.RECOVERED),
          Kind.DAEMON,
          EnumSet.of(Word.UNHEALTHY, Word.RECOVERED));

  private static final Duration SHORTEST_REMINDER = Duration.ofMinutes(1);

  private final ServiceNotes notes;
  private final Map<String, Channel> channels = new LinkedHashMap<>();
  private final Set<String> named = new HashSet<>();
  private final List<Rule> rules = new ArrayList<>();
  private final Map<String, Integer> lineOfRule = new HashMap<>();

  private NotifyParser(ServiceNotes notes) {
    this.notes = notes;
  }

  static NotifyFile parse(Path path, byte[] content, int maximumLineBytes) {
    String file = KrontabParser.identityPath(path);
    TomlFile read = TomlFile.read(file, "notify", content, maximumLineBytes);
    var parser = new NotifyParser(read.notes());
    @Nullable TomlParseResult toml = read.toml();
    if (toml != null) {
      parser.read(toml);
    }
    boolean valid = read.notes().isValid();
    return new NotifyFile(
        file,
        Krontab.Status.READ,
        valid ? new NotifySpec(parser.channels, parser.rules) : NotifySpec.NONE,
        read.notes().sorted());
  }

  private void read(TomlParseResult toml) {
    for (String key : toml.keySet()) {
      if (!key.equals("channel") && !key.equals("rule")) {
        @Nullable String meant = Suggestion.nearest(List.of("channel", "rule"), key);
        notes.error(
            place(toml.inputPositionOf(List.of(key))),
            "unknown table "
                + VisibleText.quote(key)
                + (meant == null
                    ? "; the tables are [channel.NAME] and [[rule]]"
                    : meant.equals("rule")
                        ? "; did you mean [[rule]]?"
                        : "; did you mean [channel.NAME]?"));
      }
    }
    channels(toml);
    rules(toml);
    for (String name : channels.keySet()) {
      if (rules.stream().noneMatch(rule -> isNamed(rule, name)) && notes.isValid()) {
        notes.warning(notes.place("channel." + name), "no rule notifies " + name);
      }
    }
  }

  private static boolean isNamed(Rule rule, String channel) {
    return rule.channels().contains(channel) || rule.pings().contains(channel);
  }

  private void channels(TomlParseResult toml) {
    Object all = toml.get(List.of("channel"));
    if (all == null) {
      return;
    }
    if (!(all instanceof TomlTable table)) {
      notes.error(
          place(toml.inputPositionOf(List.of("channel"))),
          "channel is " + TomlSection.describe(all) + "; expected a table [channel.NAME]");
      return;
    }
    for (String name : table.keySet()) {
      Place place = place(table.inputPositionOf(List.of(name)));
      notes.remember("channel." + name, place);
      named.add(name);
      @Nullable String problem = ServiceValues.nameProblem("the channel's name", name);
      if (problem != null) {
        notes.error(place, problem);
      }
      if (table.get(List.of(name)) instanceof TomlTable one) {
        Channel channel =
            new ChannelReader(name, place, new TomlSection("channel." + name, one, notes), notes)
                .read();
        if (channel != null) {
          channels.put(name, channel);
        }
      } else {
        notes.error(
            place,
            VisibleText.quote(name)
                + " is "
                + TomlSection.describe(table.get(List.of(name)))
                + "; expected a table, which begins with a line [channel.NAME]");
      }
    }
  }

  private void rules(TomlParseResult toml) {
    Object all = toml.get(List.of("rule"));
    if (all == null) {
      return;
    }
    if (!(all instanceof TomlArray array)) {
      notes.error(
          place(toml.inputPositionOf(List.of("rule"))),
          "rule is " + TomlSection.describe(all) + "; each rule begins with a line [[rule]]");
      return;
    }
    for (int i = 0; i < array.size(); i++) {
      Place place = place(array.inputPositionOf(i));
      if (array.get(i) instanceof TomlTable table) {
        rule(new TomlSection("rule." + i, table, notes), place);
      } else {
        notes.error(
            place,
            "a rule is "
                + TomlSection.describe(array.get(i))
                + "; each rule begins with a line [[rule]]");
      }
    }
  }

  private void rule(TomlSection section, Place place) {
    section.unknownKeys(RULE_KEYS);
    Kind kind = kind(section);
    @Nullable List<String> patterns = patterns(section, place, kind);
    @Nullable Set<Word> on = on(section, place, kind);
    @Nullable List<String> notify = notify(section, place, kind);
    @Nullable Duration again = reminder(section);
    if (patterns == null || on == null || notify == null) {
      return;
    }
    Map<Boolean, List<String>> byPing =
        notify.stream().collect(Collectors.partitioningBy(this::isPing));
    var rule =
        new Rule(
            kind,
            patterns,
            on,
            byPing.getOrDefault(false, List.of()),
            byPing.getOrDefault(true, List.of()),
            again);
    @Nullable Integer before = lineOfRule.putIfAbsent(rule.key(), place.line());
    if (before != null) {
      notes.error(
          place,
          "this rule is for the same as the one on line "
              + before
              + "; put all channels into the notify of that one");
    }
    rules.add(rule);
  }

  private boolean isPing(String name) {
    Channel channel = channels.get(name);
    return channel != null && channel.type() == Channel.Type.PING;
  }

  private static Kind kind(TomlSection section) {
    if (section.has("daemon")) {
      return Kind.DAEMON;
    }
    return section.has("services") && !section.has("jobs") ? Kind.SERVICE : Kind.JOB;
  }

  private @Nullable List<String> patterns(TomlSection section, Place place, Kind kind) {
    long whom = List.of("jobs", "services", "daemon").stream().filter(section::has).count();
    if (whom > 1) {
      notes.error(place, "a rule has one of jobs, services and daemon; make a rule for each");
      return null;
    }
    if (kind == Kind.DAEMON) {
      Boolean wanted = section.flag("daemon");
      if (wanted != null && !wanted) {
        section.error("daemon", "daemon is false; leave the rule out, or write daemon = true");
      }
      return wanted == null ? null : List.of();
    }
    String key = kind == Kind.JOB ? "jobs" : "services";
    if (!section.has(key)) {
      if (section.keys().stream().allMatch(RULE_KEYS::contains)) {
        notes.error(place, "jobs is missing; say of whom to tell, such as jobs = [\"*\"]");
      }
      return null;
    }
    @Nullable List<String> patterns = section.texts(key, "[\"backup/*\"]");
    if (patterns != null && (patterns.isEmpty() || patterns.contains(""))) {
      section.error(key, key + " is empty; write " + key + " = [\"*\"] for all");
      return null;
    }
    return patterns;
  }

  private @Nullable Set<Word> on(TomlSection section, Place place, Kind kind) {
    if (!section.has("on")) {
      if (section.keys().stream().allMatch(RULE_KEYS::contains)) {
        notes.error(place, "on is missing; say of what to tell, such as on = [\"failed\"]");
      }
      return null;
    }
    @Nullable List<String> texts = section.texts("on", "[\"failed\", \"recovered\"]");
    if (texts == null) {
      return null;
    }
    Set<Word> words = WORDS.getOrDefault(kind, Set.of());
    List<String> names = words.stream().map(Word::text).toList();
    Set<Word> on = EnumSet.noneOf(Word.class);
    for (String text : texts) {
      @Nullable Word word = Word.of(text);
      if (word == null || !words.contains(word)) {
        @Nullable String meant = Suggestion.nearest(names, text);
        notes.error(
            notes.place(section.element("on", text)),
            "on holds "
                + VisibleText.quote(text)
                + (meant == null
                    ? "; expected some of " + String.join(", ", names)
                    : "; did you mean \"" + meant + "\"?"));
        return null;
      }
      on.add(word);
    }
    if (on.isEmpty() || on.equals(EnumSet.of(Word.RECOVERED))) {
      section.error("on", "on names no problem; say of what to tell, such as on = [\"failed\"]");
      return null;
    }
    return on;
  }

  private @Nullable List<String> notify(TomlSection section, Place place, Kind kind) {
    if (!section.has("notify")) {
      if (section.keys().stream().allMatch(RULE_KEYS::contains)) {
        notes.error(place, "notify is missing; say whom to tell, such as notify = [\"ops\"]");
      }
      return null;
    }
    @Nullable List<String> names = section.texts("notify", "[\"ops\"]");
    if (names == null) {
      return null;
    }
    if (names.isEmpty()) {
      section.error("notify", "notify names no channel");
    }
    for (String name : names) {
      Place at = notes.place(section.element("notify", name));
      @Nullable Channel channel = channels.get(name);
      if (channel == null && !named.contains(name)) {
        @Nullable String meant = Suggestion.nearest(List.copyOf(channels.keySet()), name);
        notes.error(
            at,
            "there is no channel "
                + VisibleText.quote(name)
                + (meant == null
                    ? "; define it in a table [channel.NAME]"
                    : "; did you mean \"" + meant + "\"?"));
      } else if (kind != Kind.JOB && isPing(name)) {
        notes.error(
            at,
            "channel "
                + VisibleText.quote(name)
                + " is a ping, which tells of runs of jobs alone; name a channel of another type");
      }
    }
    return names.stream().distinct().toList();
  }

  private static @Nullable Duration reminder(TomlSection section) {
    @Nullable String text = section.text("again_after", "\"4h\"");
    if (text == null) {
      return null;
    }
    try {
      Duration again = Duration.ofNanos(GoDuration.parseNanos(text));
      if (again.compareTo(SHORTEST_REMINDER) >= 0) {
        return again;
      }
      section.error(
          "again_after", "again_after is " + VisibleText.quote(text) + "; expected 1m or more");
    } catch (IllegalArgumentException notADuration) {
      section.error(
          "again_after",
          "again_after: " + VisibleText.of(String.valueOf(notADuration.getMessage())));
    }
    return null;
  }

  private static Place place(@Nullable TomlPosition position) {
    return position == null ? Place.BEGIN : new Place(position.line(), position.column());
  }
}
