package dev.kron.notify.channel;

import dev.kron.json.JsonWriter;
import dev.kron.notice.Event;
import dev.kron.notice.Message;
import dev.kron.notice.Subject;
import dev.kron.notice.Word;
import dev.kron.text.VisibleText;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message, or a list of many, in words. Everything that others may have written is escaped: it is
 * plain text without control characters, and each receiver's own marks are its channel's matter.
 *
 * @param id of the message or list
 * @param messages one, or the first of a list
 * @param total how many a list has
 * @param counts of a list, by word
 * @param host where it happened
 * @param output the last lines of the run's output, empty where none is wanted
 */
public record Letter(
    String id,
    List<Message> messages,
    int total,
    Map<Word, Integer> counts,
    String host,
    List<String> output) {
  /** The beginning of the ids of a channel's tests. */
  public static final String TEST = "test-";

  private static final int LONGEST_LINE = 500;

  public Letter {
    messages = List.copyOf(messages);
    counts = Map.copyOf(counts);
    output =
        output.stream()
            .map(line -> line.length() > LONGEST_LINE ? line.substring(0, LONGEST_LINE) : line)
            .map(VisibleText::of)
            .toList();
  }

  boolean isList() {
    return total > 1;
  }

  Message first() {
    return messages.getFirst();
  }

  /** Whether nothing in it is a problem any more. */
  boolean isGood() {
    return isList()
        ? counts.keySet().stream().allMatch(word -> word == Word.RECOVERED)
        : first().event().word() == Word.RECOVERED;
  }

  /** One line. */
  String title() {
    return "[" + VisibleText.of(host) + "] " + headline();
  }

  private String headline() {
    if (isList()) {
      List<String> parts = new ArrayList<>();
      new EnumMap<>(counts).forEach((word, count) -> parts.add(count + " " + word.text()));
      return String.join(", ", parts);
    }
    return sentence(first());
  }

  private static String sentence(Message message) {
    Event event = message.event();
    if (message.id().startsWith(TEST) && event.reason() != null) {
      return event.reason();
    }
    String name = VisibleText.of(message.subject().name());
    String what =
        switch (event.word()) {
          case FAILED -> message.subject().kind() == Subject.Kind.JOB ? failed(event) : "failed";
          case MISSED -> "missed a period";
          case UNSCHEDULABLE -> "has a period without an allowed second";
          case SKIPPED -> "skipped a period";
          case LATE -> "has not started";
          case LONG -> "takes longer than expected";
          case SHORT -> "was over too soon";
          case SILENT -> "had no success for too long";
          case RECOVERED ->
              !event.succeeded()
                  ? "has ended"
                  : message.subject().kind() == Subject.Kind.SERVICE && event.reason() != null
                      ? "is no problem any more"
                      : "recovered";
          case FLAPPING -> "is started again and again";
          case UNHEALTHY -> "is not healthy";
        };
    return name + " " + what + (message.reminder() ? " (reminder)" : "");
  }

  private static String failed(Event event) {
    if (event.exitCode() != null) {
      return "failed with exit code " + event.exitCode();
    }
    return event.run().isEmpty() ? "failed" : "failed, exit code unknown";
  }

  /** Several lines. */
  String text() {
    return isList() ? listText() : messageText();
  }

  private String messageText() {
    var text = new StringBuilder(sentence(first())).append(".\n\n");
    fields().forEach((name, value) -> text.append(String.format("%-8s %s%n", name, value)));
    if (!output.isEmpty()) {
      text.append("\nIts last output:\n");
      output.forEach(line -> text.append("  ").append(line).append('\n'));
    }
    return text.toString();
  }

  private Map<String, String> fields() {
    Message message = first();
    Event event = message.event();
    var fields = new java.util.LinkedHashMap<String, String>();
    fields.put("where", VisibleText.of(host));
    if (message.subject().kind() != Subject.Kind.DAEMON) {
      fields.put(message.subject().kind().text(), VisibleText.of(message.subject().identity()));
    }
    fields.put("when", time(event.atMillis()));
    if (message.sinceMillis() != event.atMillis()) {
      fields.put("since", time(message.sinceMillis()));
    }
    if (!event.run().isEmpty()) {
      fields.put("run", event.run());
    }
    if (event.period() != Event.NONE) {
      fields.put("period", Instant.ofEpochSecond(event.period()).toString());
    }
    if (event.exitCode() != null) {
      fields.put("exit", event.exitCode().toString());
    }
    if (event.signal() != null) {
      fields.put("signal", event.signal().toString());
    }
    if (event.reason() != null) {
      fields.put("reason", VisibleText.of(event.reason()));
    }
    fields.put("more", command(message));
    fields.put("id", id);
    return fields;
  }

  private String listText() {
    var text = new StringBuilder(headline()).append(" on ").append(VisibleText.of(host));
    text.append(":\n\n");
    for (Message message : messages) {
      text.append("  ").append(sentence(message)).append('\n');
    }
    if (total > messages.size()) {
      text.append("  and ").append(total - messages.size()).append(" more\n");
    }
    return text.append("\nmore     kron status\nid       ").append(id).append('\n').toString();
  }

  /** The command that shows more, to whoever sits at that machine. */
  private static String command(Message message) {
    String run = message.event().run();
    String name = VisibleText.of(message.subject().name());
    return switch (message.subject().kind()) {
      case DAEMON -> "kron status";
      case SERVICE -> "kron show service:" + name;
      case JOB -> run.isEmpty() ? "kron why " + name : "kron logs " + run;
    };
  }

  /** All fields, for programs. */
  void write(JsonWriter json) throws IOException {
    json.member("id", id);
    json.member("title", title());
    json.member("text", text());
    json.member("host", host);
    json.member("count", total);
    if (isList()) {
      json.name("words").beginObject();
      for (Map.Entry<Word, Integer> count : new EnumMap<>(counts).entrySet()) {
        json.member(count.getKey().text(), count.getValue());
      }
      json.endObject();
      json.name("messages").beginArray();
      for (Message message : messages) {
        json.beginObject();
        write(json, message);
        json.endObject();
      }
      json.endArray();
    } else {
      write(json, first());
      json.member("output", output);
    }
  }

  private static void write(JsonWriter json, Message message) throws IOException {
    Event event = message.event();
    if (message.id().isEmpty()) {
      return;
    }
    json.member("message", message.id());
    json.member("thread", message.thread());
    json.member("word", event.word().text());
    json.member("reminder", message.reminder());
    json.member("kind", message.subject().kind().text());
    json.member("subject", message.subject().identity());
    json.member("name", message.subject().name());
    json.member("at", time(event.atMillis()));
    json.member("since", time(message.sinceMillis()));
    json.member("run", event.run().isEmpty() ? null : event.run());
    json.member(
        "period",
        event.period() == Event.NONE ? null : Instant.ofEpochSecond(event.period()).toString());
    json.member("exitCode", event.exitCode());
    json.member("signal", event.signal());
    json.member("reason", event.reason());
    json.member("command", command(message));
  }

  /** The value of a template's field; empty where there is none. */
  String field(String name) {
    Message message = first();
    Event event = message.event();
    @Nullable Object value =
        switch (name) {
          case "id" -> id;
          case "thread" -> message.thread();
          case "word" -> isList() ? "list" : event.word().text();
          case "kind" -> message.subject().kind().text();
          case "subject" -> message.subject().identity();
          case "name" -> isList() ? headline() : message.subject().name();
          case "host" -> host;
          case "text" -> text();
          case "title" -> title();
          case "at" -> time(event.atMillis());
          case "since" -> time(message.sinceMillis());
          case "run" -> event.run();
          case "period" ->
              event.period() == Event.NONE ? null : Instant.ofEpochSecond(event.period());
          case "exit" -> event.exitCode();
          case "signal" -> event.signal();
          case "reason" -> event.reason();
          case "output" -> String.join("\n", output);
          case "command" -> command(message);
          default -> null;
        };
    return value == null ? "" : value.toString();
  }

  static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }
}
