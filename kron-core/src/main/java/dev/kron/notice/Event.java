package dev.kron.notice;

import dev.kron.json.Json;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * An event of a subject, or one that a clock noticed about it.
 *
 * @param word {@link Word#RECOVERED} for an ordinary success
 * @param succeeded whether a run ended well; a rule whose words do not include this event's word
 *     takes it for a recovery
 * @param endsRun whether a run ended, well or not
 * @param run the run's id; empty if none was started
 * @param period nominal time of its period, epoch seconds, {@link #NONE} without one
 * @param exitCode null where nothing ran or nothing is known
 * @param reason a sentence; null if the other components say everything
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

  /** The longest reason that is kept, since others may write its text. */
  private static final int LONGEST_REASON = 500;

  public Event {
    if (reason != null && reason.length() > LONGEST_REASON) {
      reason = reason.substring(0, LONGEST_REASON) + "…";
    }
  }

  /** An event that a clock noticed, without a run. */
  public static Event noticed(Word word, long atMillis, @Nullable String reason) {
    return builder(word, atMillis).succeeded(word == Word.RECOVERED).reason(reason).build();
  }

  /** The same event with another word. */
  Event withWord(Word word) {
    return builder(word, atMillis)
        .succeeded(succeeded)
        .endsRun(endsRun)
        .run(run)
        .period(period)
        .exitCode(exitCode)
        .signal(signal)
        .reason(reason)
        .build();
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
    return builder(word == null ? Word.FAILED : word, json.number("at"))
        .succeeded(json.is("ok"))
        .run(json.text("run"))
        .period(json.get("period").isNull() ? NONE : json.number("period"))
        .exitCode(integer(json, "exit"))
        .signal(integer(json, "signal"))
        .reason(json.get("reason").isNull() ? null : json.text("reason"))
        .build();
  }

  private static @Nullable Integer integer(Json json, String name) {
    return json.get(name).isNull() ? null : (Integer) (int) json.number(name);
  }

  /** Starts a builder of an event without a run. */
  public static Builder builder(Word word, long atMillis) {
    return new Builder(word, atMillis);
  }

  /** A builder of events; components that are not set keep their defaults. */
  public static final class Builder {
    private final Word word;
    private boolean succeeded;
    private boolean endsRun;
    private final long atMillis;
    private String run = "";
    private long period = NONE;
    private @Nullable Integer exitCode;
    private @Nullable Integer signal;
    private @Nullable String reason;

    private Builder(Word word, long atMillis) {
      this.word = word;
      this.atMillis = atMillis;
    }

    public Builder succeeded(boolean succeeded) {
      this.succeeded = succeeded;
      return this;
    }

    public Builder endsRun(boolean endsRun) {
      this.endsRun = endsRun;
      return this;
    }

    public Builder run(String run) {
      this.run = run;
      return this;
    }

    public Builder period(long period) {
      this.period = period;
      return this;
    }

    public Builder exitCode(@Nullable Integer exitCode) {
      this.exitCode = exitCode;
      return this;
    }

    public Builder signal(@Nullable Integer signal) {
      this.signal = signal;
      return this;
    }

    public Builder reason(@Nullable String reason) {
      this.reason = reason;
      return this;
    }

    public Event build() {
      return new Event(word, succeeded, endsRun, atMillis, run, period, exitCode, signal, reason);
    }
  }
}
