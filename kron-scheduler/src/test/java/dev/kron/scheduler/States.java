package dev.kron.scheduler;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Task states to store. */
final class States {
  private States() {}

  static TaskState plain(String name) {
    return new TaskState(name, "0 3 * * *", Duration.ofMinutes(5), null, null, null, null, null);
  }

  static TaskState random(String name, RandomGenerator random) {
    return new TaskState(
        name,
        "0 " + random.nextInt(24) + " * * *",
        Duration.ofSeconds(random.nextInt(1000), random.nextInt(3)),
        instant(random),
        instant(random),
        instant(random),
        instant(random),
        random.nextBoolean() ? null : "instance-" + random.nextInt(5));
  }

  private static @Nullable Instant instant(RandomGenerator random) {
    return random.nextInt(3) == 0
        ? null
        : Instant.ofEpochMilli(1_700_000_000_000L + random.nextInt(Integer.MAX_VALUE));
  }

  static List<TaskState> many(int count) {
    List<TaskState> states = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      states.add(plain("task " + i));
    }
    return states;
  }

  static Map<String, TaskState> byName(Collection<TaskState> states) {
    Map<String, TaskState> map = new HashMap<>();
    states.forEach(state -> map.put(state.name(), state));
    return map;
  }
}
