package dev.kron.notify;

import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The fate of a parcel, for {@code kron notify log}.
 *
 * @param what the word, or what kind of list
 * @param subject {@code job:…}, {@code service:…}, empty for lists
 * @param tries without success so far
 * @param problem why it was not delivered (yet), null where it was
 */
public record Sent(
    String id,
    String channel,
    String what,
    String subject,
    long atMillis,
    State state,
    int tries,
    @Nullable String problem) {
  /** The stages of a parcel. */
  public enum State {
    WAITING,
    DELIVERED,
    GIVEN_UP
  }

  void write(JsonWriter json) throws IOException {
    json.member("id", id);
    json.member("channel", channel);
    json.member("what", what);
    json.member("subject", subject);
    json.member("at", atMillis);
    json.member("state", state.name());
    json.member("tries", tries);
    json.member("problem", problem);
  }

  static Sent read(Json json) {
    return new Sent(
        json.text("id"),
        json.text("channel"),
        json.text("what"),
        json.text("subject"),
        json.number("at"),
        json.text("state").equals("GIVEN_UP") ? State.GIVEN_UP : State.DELIVERED,
        (int) json.number("tries"),
        json.get("problem").isNull() ? null : json.text("problem"));
  }

  String key() {
    return id + "/" + channel;
  }
}
