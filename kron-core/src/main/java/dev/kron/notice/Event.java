package dev.kron.notice;

import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a subject, or that was noticed of it.
 *
 * @param word {@link Word#RECOVERED} for a plain success
 * @param succeeded a run ended well: a rule that does not know the word takes it for a recovery
 * @param endsRun a run ended with it, well or not
 * @param run its id, empty where none was started
 * @param period nominal time of its period, epoch seconds, {@link #NONE} without one
 * @param exitCode null where nothing ran or nothing is known
 * @param reason a sentence, null where the rest says all
 */
public record Event(
    Word word,
    boolean succeeded,
    boolean endsRun,
    long atMillis,
    String run,
    long period,
    @Nullable Integer exitCode,
    @Nullable Integer signal,
    @Nullable String reason) {
  public static final long NONE = Long.MIN_VALUE;

  /** The longest reason that is kept of a text that others may write. */
  private static final int LONGEST_REASON = 500;

  public Event {
    if (reason != null && reason.length() > LONGEST_REASON) {
      reason = reason.substring(0, LONGEST_REASON) + "…";
    }
  }

  /** What was noticed without a run. */
  public static Event noticed(Word word, long atMillis, @Nullable String reason) {
    return new Event(word, word == Word.RECOVERED, false, atMillis, "", NONE, null, null, reason);
  }

  void write(JsonWriter json) throws IOException {
    json.member("word", word.text());
    json.member("at", atMillis);
    if (succeeded) {
      json.member("ok", true);
    }
    if (!run.isEmpty()) {
      json.member("run", run);
    }
    if (period != NONE) {
      json.member("period", period);
    }
    if (exitCode != null) {
      json.member("exit", exitCode);
    }
    if (signal != null) {
      json.member("signal", signal);
    }
    if (reason != null) {
      json.member("reason", reason);
    }
  }

  static Event read(Json json) {
    Word word = Word.of(json.text("word"));
    return new Event(
        word == null ? Word.FAILED : word,
        json.is("ok"),
        false,
        json.number("at"),
        json.text("run"),
        json.get("period").isNull() ? NONE : json.number("period"),
        integer(json, "exit"),
        integer(json, "signal"),
        json.get("reason").isNull() ? null : json.text("reason"));
  }

  private static @Nullable Integer integer(Json json, String name) {
    return json.get(name).isNull() ? null : (Integer) (int) json.number(name);
  }
}
