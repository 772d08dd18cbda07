package dev.kron.bench;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** One JMH run of one class: average nanoseconds and bytes allocated a call. */
final class Jmh {
  private Jmh() {}

  /**
   * @param nanos average of one call
   * @param error half of the 99.9 % confidence interval, in nanoseconds
   * @param bytes allocated in one call
   */
  record Figure(double nanos, double error, double bytes) {}

  /**
   * Runs all benchmarks of a class. {@code --quick} measures for a second each instead of ten, for
   * a first look.
   *
   * @return figures by the value of the benchmark's parameter, then by method
   */
  static Map<String, Map<String, Figure>> run(
      Class<?> benchmarks, String parameter, List<String> options) throws RunnerException {
    boolean quick = options.contains("--quick");
    var builder =
        new OptionsBuilder()
            .include(benchmarks.getName().replace("$", "\\.") + "\\.[a-z][A-Za-z0-9]*$")
            .mode(Mode.AverageTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .forks(quick ? 1 : 2)
            .warmupIterations(quick ? 2 : 3)
            .warmupTime(TimeValue.milliseconds(quick ? 300 : 1_000))
            .measurementIterations(quick ? 3 : 5)
            .measurementTime(TimeValue.milliseconds(quick ? 300 : 1_000))
            // JMH's own need; without it every fork prints four lines of warning
            .jvmArgsAppend("--sun-misc-unsafe-memory-access=allow")
            .addProfiler(GCProfiler.class)
            .verbosity(quick ? VerboseMode.SILENT : VerboseMode.NORMAL)
            .shouldFailOnError(true);
    Collection<RunResult> results = new Runner(builder.build()).run();
    Map<String, Map<String, Figure>> figures = new TreeMap<>();
    for (RunResult result : results) {
      String name = result.getParams().getBenchmark();
      figures
          .computeIfAbsent(result.getParams().getParam(parameter), key -> new TreeMap<>())
          .put(name.substring(name.lastIndexOf('.') + 1), figure(result));
    }
    return figures;
  }

  /** The figure of a method; it has to be there. */
  static Figure figure(Map<String, Figure> figures, String method) {
    Figure figure = figures.get(method);
    if (figure == null) {
      throw new IllegalStateException("no figure for " + method + " in " + figures.keySet());
    }
    return figure;
  }

  private static Figure figure(RunResult result) {
    Result<?> time = result.getPrimaryResult();
    Result<?> allocated = result.getSecondaryResults().get("gc.alloc.rate.norm");
    return new Figure(
        time.getScore(), time.getScoreError(), allocated == null ? 0 : allocated.getScore());
  }
}
