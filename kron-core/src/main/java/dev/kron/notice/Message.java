package dev.kron.notice;

import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.util.List;

/**
 * A message of one problem that is owed to some channels.
 *
 * @param id the message's own id, the same however often it is sent
 * @param thread the problem that it belongs to
 * @param reminder whether the problem was reported before
 * @param sinceMillis when the problem began
 * @param channels the channels that its rule named when the message was made
 */
public record Message(
    String id,
    String thread,
    boolean reminder,
    Subject subject,
    Event event,
    long sinceMillis,
    List<String> channels) {

  public Message {
    channels = List.copyOf(channels);
  }

  /** The message as JSON on one line. */
  public String json() {
    return JsonWriter.text(this::write);
  }

  public void write(JsonWriter json) throws IOException {
    json.beginObject();
    json.member("id", id);
    json.member("thread", thread);
    if (reminder) {
      json.member("reminder", true);
    }
    json.member("kind", subject.kind().text());
    json.member("subject", subject.identity());
    event.write(json);
    json.member("since", sinceMillis);
    json.member("channels", channels);
    json.endObject();
  }

  /** Reads the output of {@link #json}; missing members read as empty. */
  public static Message read(Json json) {
    return new Message(
        json.text("id"),
        json.text("thread"),
        json.is("reminder"),
        new Subject(Subject.Kind.of(json.text("kind")), json.text("subject")),
        Event.read(json),
        json.number("since"),
        json.texts("channels"));
  }
}
