package dev.kron.daemon.api;

import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.util.Arrays;

/**
 * Runs that are too many to be drawn one by one: for each part of the time their number and the
 * worst outcome.
 */
final class Buckets {
  private static final int NOTHING = Integer.MAX_VALUE;

  /** The number of a bucket with at least one run that were not counted. */
  private static final int UNCOUNTED = -1;

  private final TimelineRange range;
  private final int[] counts;
  private final int[] weights;

  Buckets(TimelineRange range) {
    this.range = range;
    this.counts = new int[range.buckets()];
    this.weights = new int[range.buckets()];
    Arrays.fill(weights, NOTHING);
  }

  /** Adds a run; it counts in every part that it touches. */
  void add(long fromMillis, long toMillis, String outcome) {
    int weight = Outcomes.weight(outcome);
    int last = range.bucket(toMillis);
    for (int i = range.bucket(fromMillis); i <= last; i++) {
      counts[i] += 1;
      weights[i] = Math.min(weights[i], weight);
    }
  }

  /** Marks a bucket as not empty, without a number. */
  void mark(int bucket, String outcome) {
    counts[bucket] = UNCOUNTED;
    weights[bucket] = Math.min(weights[bucket], Outcomes.weight(outcome));
  }

  void write(JsonWriter json) throws IOException {
    for (int i = 0; i < counts.length; i++) {
      if (weights[i] != NOTHING) {
        json.beginObject();
        json.millis("from", range.beginOf(i));
        json.millis("to", range.beginOf(i + 1));
        json.member("outcome", Outcomes.ofWeight(weights[i]));
        OverviewEndpoint.number(json, "count", counts[i]);
        json.endObject();
      }
    }
  }
}
