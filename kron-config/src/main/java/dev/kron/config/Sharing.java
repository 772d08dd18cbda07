package dev.kron.config;

import dev.kron.job.JobSpec.Output;
import dev.kron.job.RetryPolicy;
import dev.kron.schedule.Schedule;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Values that entries of a configuration have in common, kept once for all of them. */
final class Sharing {
  private final RecentlyUsed<String, String> texts = new RecentlyUsed<>();
  private final RecentlyUsed<String, Schedule> schedules = new RecentlyUsed<>();
  private final RecentlyUsed<String, List<String>> words = new RecentlyUsed<>();
  private final RecentlyUsed<List<String>, List<String>> lists = new RecentlyUsed<>();
  private final RecentlyUsed<String, List<String>> singles = new RecentlyUsed<>();
  private final RecentlyUsed<String, Duration> durations = new RecentlyUsed<>();
  private final RecentlyUsed<Output, Output> outputs = new RecentlyUsed<>();
  private final RecentlyUsed<RetryPolicy, RetryPolicy> retries = new RecentlyUsed<>();

  RetryPolicy retry(RetryPolicy retry) {
    return RecentlyUsed.share(retries, retry);
  }

  String text(String text) {
    return RecentlyUsed.share(texts, text);
  }

  /** A part of a line. */
  String text(String line, int start, int end) {
    @Nullable String known = RecentlyUsed.get(texts, line, start, end);
    if (known != null) {
      return known;
    }
    String text = line.substring(start, end);
    texts.put(text, text);
    return text;
  }

  /** The schedule for a part of a line, if it was parsed before. */
  @Nullable Schedule schedule(String line, int start, int end) {
    return RecentlyUsed.get(schedules, line, start, end);
  }

  void rememberSchedule(String text, Schedule schedule) {
    schedules.put(text, schedule);
  }

  /** One word, not split. */
  List<String> word(String word) {
    @Nullable List<String> known = singles.get(word);
    if (known != null) {
      return known;
    }
    List<String> single = List.of(word);
    singles.put(word, single);
    return single;
  }

  /** The words of a text, if it was split before. */
  @Nullable List<String> words(String text) {
    return words.get(text);
  }

  List<String> rememberWords(String text, List<String> split) {
    List<String> shared = list(split);
    words.put(text, shared);
    return shared;
  }

  List<String> list(List<String> list) {
    return list.isEmpty() ? List.of() : RecentlyUsed.share(lists, List.copyOf(list));
  }

  /** The duration of a text, if it was parsed before. */
  @Nullable Duration duration(String text) {
    return durations.get(text);
  }

  void rememberDuration(String text, Duration duration) {
    durations.put(text, duration);
  }

  Output output(Output output) {
    return output instanceof Output.File ? RecentlyUsed.share(outputs, output) : output;
  }
}
