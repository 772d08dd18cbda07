package dev.kron.config;

import dev.kron.job.JobSpec.Output;
import dev.kron.schedule.Schedule;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the entries of a configuration have in common is kept once for all of them. */
final class Sharing {
  private final Recent<String, String> texts = new Recent<>();
  private final Recent<String, Schedule> schedules = new Recent<>();
  private final Recent<String, List<String>> words = new Recent<>();
  private final Recent<List<String>, List<String>> lists = new Recent<>();
  private final Recent<Duration, Duration> durations = new Recent<>();
  private final Recent<Output, Output> outputs = new Recent<>();

  String text(String text) {
    return Recent.share(texts, text);
  }

  @Nullable Schedule schedule(String text) {
    return schedules.get(text);
  }

  void rememberSchedule(String text, Schedule schedule) {
    schedules.put(text, schedule);
  }

  /** One word, not split. */
  List<String> word(String word) {
    return list(List.of(word));
  }

  /** The words that a text was split into before. */
  @Nullable List<String> words(String text) {
    return words.get(text);
  }

  List<String> rememberWords(String text, List<String> split) {
    List<String> shared = list(split);
    words.put(text, shared);
    return shared;
  }

  List<String> list(List<String> list) {
    return list.isEmpty() ? List.of() : Recent.share(lists, List.copyOf(list));
  }

  @Nullable Duration duration(@Nullable Duration duration) {
    return duration == null ? null : Recent.share(durations, duration);
  }

  Output output(Output output) {
    return output instanceof Output.File ? Recent.share(outputs, output) : output;
  }
}
