package dev.kron.notify.channel;

import dev.kron.json.JsonText;
import dev.kron.json.JsonWriter;
import dev.kron.notice.Event;
import dev.kron.notice.Message;
import dev.kron.notice.Word;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The JSON that each service takes, as its manual has it. */
final class Bodies {
  private static final Pattern FIELD = Pattern.compile("\\{([a-z_]+)}");

  /** The length of text that the services take. */
  private static final int SLACK_CHARACTERS = 3_500;

  private static final int PAGER_CHARACTERS = 1_000;
  private static final int NTFY_CHARACTERS = 1_300; // of at most three bytes each, of 4096

  private Bodies() {}

  /** All fields, or a template of the user's. */
  static String webhook(@Nullable String template, Letter letter) {
    if (template == null) {
      return JsonWriter.text(
          json -> {
            json.beginObject();
            letter.write(json);
            json.endObject();
          });
    }
    return FIELD
        .matcher(template)
        .replaceAll(
            field ->
                Matcher.quoteReplacement(quoted(withoutMentions(letter.field(field.group(1))))));
  }

  /** The text as it stands between quotes. */
  private static String quoted(String text) {
    String json = new JsonText().string(text).toString();
    return json.substring(1, json.length() - 1);
  }

  /**
   * The text without mentions: an invisible space stands after each mark, so that nobody is called
   * by a name.
   */
  static String withoutMentions(String text) {
    return text.replace("@", "@\u200b");
  }

  static String slack(Letter letter) {
    String body = cut(letter.text(), SLACK_CHARACTERS).replace("```", "'''");
    String text =
        "*" + slackText(letter.title().replace('*', '∗')) + "*\n```\n" + slackText(body) + "```";
    return JsonWriter.text(
        json -> {
          json.beginObject();
          json.member("text", text);
          json.endObject();
        });
  }

  private static String slackText(String text) {
    return withoutMentions(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"));
  }

  static String pagerDuty(String routingKey, Letter letter) {
    Message message = letter.first();
    Event event = message.event();
    boolean over = event.word() == Word.RECOVERED;
    return JsonWriter.text(
        json -> {
          json.beginObject();
          json.member("routing_key", routingKey);
          json.member("event_action", over ? "resolve" : "trigger");
          json.member("dedup_key", message.thread());
          if (!over) {
            json.name("payload").beginObject();
            json.member("summary", cut(letter.title(), PAGER_CHARACTERS));
            json.member("source", letter.host());
            json.member("severity", severity(event.word()));
            json.member("timestamp", Letter.time(event.atMillis()));
            json.member("component", message.subject().name());
            json.member("class", event.word().text());
            json.name("custom_details").beginObject();
            letter.write(json);
            json.endObject();
            json.endObject();
            json.member("client", "kron");
          }
          json.endObject();
        });
  }

  private static String severity(Word word) {
    return switch (word) {
      case FAILED, MISSED, SILENT, UNHEALTHY, UNSCHEDULABLE -> "error";
      case SKIPPED, LATE, LONG, SHORT, FLAPPING -> "warning";
      case RECOVERED -> "info";
    };
  }

  static String ntfy(String topic, Letter letter) {
    return JsonWriter.text(
        json -> {
          json.beginObject();
          json.member("topic", topic);
          json.member("title", cut(letter.title(), 200));
          json.member("message", cut(letter.text(), NTFY_CHARACTERS));
          json.member("priority", letter.isGood() ? 3 : 4);
          json.member("tags", List.of(letter.isGood() ? "white_check_mark" : "rotating_light"));
          json.endObject();
        });
  }

  private static String cut(String text, int characters) {
    if (text.length() <= characters) {
      return text;
    }
    int end = Character.isHighSurrogate(text.charAt(characters - 1)) ? characters - 1 : characters;
    return text.substring(0, end) + "…";
  }
}
