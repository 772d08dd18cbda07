package dev.kron.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The scheduler library, with its file store, next to Quartz (RAM store) and Spring, which remember
 * nothing: registering, memory, idling, and many tasks due in the same moment. Every trial is a
 * process of its own; with {@code --quick} there is one of each, otherwise the median of three.
 */
final class SchedulerMeasurement implements Measurement {
  private static final int MANY = 100_000;
  private static final int SOME = 10_000;

  @Override
  public String title() {
    return "100,000 tasks in the scheduler library, against Quartz and Spring";
  }

  @Override
  public boolean run(List<String> options) throws Exception {
    int trials = options.contains("--quick") ? 1 : 3;
    Map<String, Double> kron = new HashMap<>();
    Map<String, Double> spring = new HashMap<>();
    Map<String, Double> quartz = new HashMap<>();
    Map<String, Map<String, Double>> all = Map.of("kron", kron, "spring", spring, "quartz", quartz);
    for (String contestant : List.of("kron", "spring", "quartz")) {
      Map<String, Double> figures = all.getOrDefault(contestant, new HashMap<>());
      figures.putAll(median(trials, contestant, "register", MANY));
      figures.put("some", figure(median(trials, contestant, "burst", SOME), "lastStartedSeconds"));
    }
    kron.put("many", figure(median(trials, "kron", "burst", MANY), "lastStartedSeconds"));

    List<Map<String, Double>> contestants = List.of(kron, spring, quartz);
    System.out.printf("%n%-52s %12s %12s %12s%n", "", "kron", "spring", "quartz");
    row("register 100,000 tasks, s", "registerSeconds", contestants);
    row("register, µs a task", "registerMicros", contestants);
    row("heap, bytes a task", "bytes", contestants);
    row("idle with 100,000 tasks, % of one core", "idlePercent", contestants);
    row("10,000 due at once: last one started after, s", "some", contestants);
    row("100,000 due at once: last one started after, s", "many", contestants);

    boolean met =
        target(
            "heap: at most 1.5 times Spring's",
            figure(kron, "bytes") / figure(spring, "bytes"),
            1.5);
    met &= target("idle: below 0.1 %", figure(kron, "idlePercent"), 0.1);
    met &= target("10,000 due: last started within 0.5 s", figure(kron, "some"), 0.5);
    met &= target("100,000 due: last started within 10 s", figure(kron, "many"), 10);
    return met;
  }

  private static boolean target(String what, double figure, double limit) {
    boolean met = figure <= limit;
    System.out.printf("%-52s %12.3f %s%n", what, figure, met ? "met" : "MISSED");
    return met;
  }

  private static void row(String title, String name, List<Map<String, Double>> contestants) {
    StringBuilder row = new StringBuilder(String.format("%-52s", title));
    for (Map<String, Double> figures : contestants) {
      Double figure = figures.get(name);
      row.append(String.format(" %12s", figure == null ? "-" : String.format("%.3f", figure)));
    }
    System.out.println(row);
  }

  private static double figure(Map<String, Double> figures, String name) {
    return figures.getOrDefault(name, Double.NaN);
  }

  private static Map<String, Double> median(int trials, String contestant, String trial, int tasks)
      throws IOException, InterruptedException {
    Map<String, List<Double>> values = new HashMap<>();
    for (int i = 0; i < trials; i++) {
      trial(SchedulerTrial.class, List.of(contestant, trial, Integer.toString(tasks)))
          .forEach(
              (name, value) -> values.computeIfAbsent(name, key -> new ArrayList<>()).add(value));
    }
    return medians(values);
  }

  static Map<String, Double> medians(Map<String, List<Double>> values) {
    Map<String, Double> medians = new HashMap<>();
    values.forEach(
        (name, list) -> {
          list.sort(null);
          medians.put(name, list.get(list.size() / 2));
        });
    return medians;
  }

  /** Runs a trial in a process of its own, and reads the figures and settings that it prints. */
  static Map<String, Double> trial(Class<?> program, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    // G1 looks at its cards twenty times a second; that would be most of what an idle process uses
    command.addAll(
        List.of("-Xmx3g", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path")));
    command.add(program.getName());
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String what = String.join(" ", arguments.subList(0, 3));
    Map<String, Double> figures = new HashMap<>();
    try (var lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        List<String> words = List.of(line.split(" "));
        if (words.size() == 3 && words.get(0).equals("figure")) {
          figures.put(words.get(1), Double.parseDouble(words.get(2)));
        } else if (words.get(0).equals("settings")) {
          System.out.println(what + ": " + line.substring("settings ".length()));
        }
      }
    }
    if (process.waitFor() != 0) {
      throw new IllegalStateException(what + " did not run");
    }
    System.out.println(what + ": " + figures);
    return figures;
  }
}
