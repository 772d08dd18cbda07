package dev.kron.notify;

import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import dev.kron.notice.Message;
import dev.kron.notice.Subject;
import dev.kron.notice.Word;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A parcel is sent at once to one channel: a message, or a list of many.
 *
 * @param messages one, or the first of a list
 * @param total how many a list has
 * @param counts by word
 */
record Parcel(
    String id, String channel, List<Message> messages, int total, Map<Word, Integer> counts) {
  Parcel {
    messages = List.copyOf(messages);
    counts = Map.copyOf(counts);
  }

  static Parcel of(Message message, String channel) {
    return new Parcel(
        message.id(), channel, List.of(message), 1, Map.of(message.event().word(), 1));
  }

  static Parcel list(String id, String channel, List<Message> all, int names) {
    Map<Word, Integer> counts = new EnumMap<>(Word.class);
    all.forEach(message -> counts.merge(message.event().word(), 1, Integer::sum));
    return new Parcel(id, channel, all.subList(0, Math.min(names, all.size())), all.size(), counts);
  }

  /** Tells it from the same message to another channel. */
  String key() {
    return id + "/" + channel;
  }

  /** The id in a {@link #key}; of what is none, and can only come of damage, all of it. */
  static String idOf(String key) {
    int slash = key.lastIndexOf('/');
    return slash < 0 ? key : key.substring(0, slash);
  }

  /** The daemon's own trouble does not wait for that of others. */
  boolean isUrgent() {
    return messages.getFirst().subject().kind() == Subject.Kind.DAEMON;
  }

  /** The word for people: {@code failed}, or {@code list} with its length. */
  String what() {
    return total > 1 ? "list of " + total : messages.getFirst().event().word().text();
  }

  String subject() {
    return total > 1 ? "" : messages.getFirst().subject().key();
  }

  void write(JsonWriter json) throws IOException {
    json.member("id", id);
    json.member("channel", channel);
    json.member("total", total);
    json.name("counts").beginObject();
    for (Map.Entry<Word, Integer> count : counts.entrySet()) {
      json.member(count.getKey().text(), count.getValue());
    }
    json.endObject();
    json.name("messages").beginArray();
    for (Message message : messages) {
      message.write(json);
    }
    json.endArray();
  }

  static Parcel read(Json json) {
    Map<Word, Integer> counts = new EnumMap<>(Word.class);
    Json written = json.get("counts");
    for (String name : written.names()) {
      Word word = Word.of(name);
      if (word != null) {
        counts.put(word, (int) written.number(name));
      }
    }
    return new Parcel(
        json.text("id"),
        json.text("channel"),
        json.list("messages").stream().map(Message::read).toList(),
        (int) json.number("total"),
        counts);
  }

  boolean isReadable() {
    return !id.isEmpty() && !channel.isEmpty() && !messages.isEmpty() && total >= 1;
  }
}
