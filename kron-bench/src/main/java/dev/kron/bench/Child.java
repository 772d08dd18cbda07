package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Runs another program and says what it cost; its output goes nowhere. */
final class Child {
  /** Clock ticks a second, as Linux reports times of processes on every architecture in use. */
  private static final int TICKS = 100;

  private Child() {}

  /**
   * @param wallMillis from start to exit
   * @param cpuMillis user and system time of the program and of all that it waited for
   */
  record Cost(int exitCode, double wallMillis, double cpuMillis) {}

  static Cost run(Path directory, List<String> command) throws IOException, InterruptedException {
    long cpuTicks = ticksOfChildren();
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    process.getOutputStream().close();
    int exitCode = process.waitFor();
    double wallMillis = (System.nanoTime() - start) / 1e6;
    return new Cost(exitCode, wallMillis, (ticksOfChildren() - cpuTicks) * 1000.0 / TICKS);
  }

  /** Of the children that have ended: the 16th and 17th value of /proc/self/stat. */
  private static long ticksOfChildren() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String[] values = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return Long.parseLong(values[13]) + Long.parseLong(values[14]);
  }

  /** The root of the checkout: where {@code ./kron} is. */
  static Path root() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    if (!Files.isExecutable(root.resolve("kron"))) {
      throw new IOException("run this in the root of the checkout: there is no kron in " + root);
    }
    return root;
  }
}
