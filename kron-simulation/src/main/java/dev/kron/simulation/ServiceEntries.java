package dev.kron.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Draws service files: every kind, policy and dependency, limits short enough to be reached. */
final class ServiceEntries {
  /** The words by which the world knows what it is that it executes. */
  static final String FOR_GOOD = "/bin/service";

  static final String ONCE = "/bin/once";
  static final String CHECK = "/bin/check";

  private static final List<String> RESTARTS = List.of("always", "always", "on-failure", "never");
  private static final int ALONE = 3;

  private ServiceEntries() {}

  static String name(int number) {
    return "s" + number;
  }

  static String draw(RandomGenerator random, int number) {
    int kind = random.nextInt(8);
    boolean target = kind == 0 && number > 0;
    boolean once = kind == 1;
    var text = new StringBuilder("[service]\n");
    line(text, "name", name(number));
    line(text, "type", target ? "target" : once ? "oneshot" : "simple");
    if (!target) {
      line(text, "exec", once ? ONCE : FOR_GOOD);
      number(text, "instances", random.nextInt(4) == 0 ? 2 : 1);
    }
    text.append("autostart = ").append(random.nextInt(5) != 0).append('\n');
    if (!target) {
      text.append("[service.env]\n");
      line(text, "EDITION", String.valueOf(random.nextInt(3)));
    }
    dependencies(text, random, number, target);
    lifecycle(text, random, target, once);
    if (!target && !once) {
      health(text, random);
    }
    return text.toString();
  }

  private static void health(StringBuilder text, RandomGenerator random) {
    if (random.nextInt(3) == 0) {
      text.append("[health]\n");
      line(text, "exec", CHECK);
      number(text, "interval_ms", 5_000 + random.nextInt(25_000));
      number(text, "timeout_ms", 500 + random.nextInt(1_500));
      number(text, "retries", 1 + random.nextInt(3));
    }
  }

  /** The same service with other rules for its life and its health. */
  static String withOtherPolicy(String text, RandomGenerator random) {
    int rules = text.indexOf("[lifecycle]");
    if (rules < 0) {
      return text; // a target has none
    }
    var changed = new StringBuilder(text.substring(0, rules));
    lifecycle(changed, random, false, !text.contains(FOR_GOOD));
    if (text.contains(FOR_GOOD)) {
      health(changed, random);
    }
    return changed.toString();
  }

  private static void dependencies(
      StringBuilder text, RandomGenerator random, int number, boolean target) {
    text.append("[dependencies]\n");
    if (number == ALONE && !target && random.nextInt(2) == 0) {
      names(text, "conflicts", List.of(name(random.nextInt(number))));
      return;
    }
    List<String> requires = new ArrayList<>();
    List<String> wants = new ArrayList<>();
    List<String> after = new ArrayList<>();
    for (int other = 0; other < number; other++) {
      switch (random.nextInt(6)) {
        case 0, 1 -> requires.add(name(other));
        case 2 -> wants.add(name(other));
        case 3 -> after.add(name(other));
        default -> {}
      }
    }
    if (target && requires.isEmpty()) {
      requires.add(name(0));
      wants.remove(name(0));
      after.remove(name(0));
    }
    names(text, "requires", requires);
    names(text, "wants", wants);
    names(text, "after", after);
  }

  private static void lifecycle(
      StringBuilder text, RandomGenerator random, boolean target, boolean once) {
    String restart = RESTARTS.get(random.nextInt(RESTARTS.size()));
    int delay = 200 + random.nextInt(3_000);
    int most = random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 0;
    int start = 3_000 + random.nextInt(20_000);
    int stop = 1_000 + random.nextInt(9_000);
    int uptime = random.nextInt(3) == 0 ? 0 : 1_000 + random.nextInt(10_000);
    if (target) {
      return;
    }
    text.append("[lifecycle]\n");
    ready(text, once ? 0 : delay);
    line(text, "restart", restart);
    number(text, "restart_delay_ms", delay);
    number(text, "restart_delay_max_ms", 20_000);
    number(text, "max_restarts", most);
    number(text, "start_timeout_ms", start);
    number(text, "stop_timeout_ms", stop);
    number(text, "min_uptime_ms", uptime);
  }

  /** Some report that they are ready; which of them, a number says that was drawn anyway. */
  private static void ready(StringBuilder text, int number) {
    if (number % 6 == 1) {
      line(text, "ready", "notify");
    } else if (number % 6 == 2) {
      line(text, "ready", "fd:3");
    }
  }

  private static void line(StringBuilder text, String key, String value) {
    text.append(key).append(" = \"").append(value).append("\"\n");
  }

  private static void number(StringBuilder text, String key, int value) {
    text.append(key).append(" = ").append(value).append('\n');
  }

  private static void names(StringBuilder text, String key, List<String> names) {
    if (!names.isEmpty()) {
      text.append(key).append(" = [\"").append(String.join("\", \"", names)).append("\"]\n");
    }
  }
}
