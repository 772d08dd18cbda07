package dev.kron.cli.online;

import dev.kron.json.Json;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * An order of the rows of a page.
 *
 * @param name as the page's title has it
 */
record WatchOrder(String name, Comparator<Json> comparator) {
  static final WatchOrder AS_LISTED = new WatchOrder("", Comparator.comparingInt(_ -> 0));

  private static final Comparator<Json> NEWEST_FIRST =
      Comparator.comparingLong((Json run) -> run.second("completedAt")).reversed();

  private static final List<WatchOrder> JOBS =
      List.of(
          AS_LISTED,
          new WatchOrder("by next", Comparator.comparingLong(WatchOrder::nextDue)),
          new WatchOrder(
              "by last", Comparator.comparing((Json job) -> job.get("last"), NEWEST_FIRST)),
          new WatchOrder(
              "failed first", Comparator.comparing((Json job) -> !job.get("last").is("failed"))));

  private static final List<WatchOrder> SERVICES =
      List.of(
          AS_LISTED,
          new WatchOrder("by memory", largest("memoryBytes")),
          new WatchOrder("by processor time", largest("cpuMillis")),
          new WatchOrder("by restarts", largest("restartsTotal")));

  /** The orders of a page, the usual one first. */
  static List<WatchOrder> of(WatchScreen.View view) {
    return switch (view) {
      case JOBS -> JOBS;
      case SERVICES -> SERVICES;
      case STATUS, RUNS, EVENTS, LOG -> List.of(AS_LISTED);
    };
  }

  private static long nextDue(Json job) {
    long due = job.second("nextDue");
    return due == 0 ? Long.MAX_VALUE : due;
  }

  /** Of all instances of a service, the largest counts. */
  private static Comparator<Json> largest(String member) {
    return Comparator.comparingLong(
            (Json service) ->
                service.list("instances").stream()
                    .mapToLong(instance -> number(instance.text(member, "")))
                    .max()
                    .orElse(0))
        .reversed();
  }

  private static long number(String text) {
    return text.isEmpty() ? 0 : Long.parseLong(text);
  }

  List<Json> sorted(List<Json> rows) {
    List<Json> sorted = new ArrayList<>(rows);
    sorted.sort(comparator);
    return sorted;
  }
}
