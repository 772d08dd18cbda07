package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code ./krond}, from the checkout. */
final class KrondDaemon implements CronDaemon {
  private static final int READY_SECONDS = 120;

  private final Path root;

  KrondDaemon(Path root) {
    this.root = root;
  }

  /** Builds it, if need be, so that nobody measures a build. */
  void build() throws IOException, InterruptedException {
    if (Child.run(root, List.of("./kron", "version")).exitCode() != 0) {
      throw new IOException("./kron version does not work in " + root);
    }
  }

  @Override
  public String name() {
    return "krond";
  }

  @Override
  public Running start(Path scratch, Crontab crontab) throws IOException, InterruptedException {
    Path config = Files.createDirectories(scratch.resolve("config"));
    crontab.writeKrontabs(config);
    return start(scratch, config, List.of());
  }

  /** Returns when it says that it is ready. */
  Running start(Path scratch, Path config, List<String> javaOptions)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("./krond", config.toString()));
    command.addAll(List.of("--state", scratch.resolve("state").toString()));
    command.addAll(List.of("--socket", scratch.resolve("run").resolve("s").toString()));
    Path log = scratch.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(root.toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(log.toFile());
    if (!javaOptions.isEmpty()) {
      builder.environment().put("JDK_JAVA_OPTIONS", String.join(" ", javaOptions));
    }
    Process process = builder.start();
    long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
    while (!Files.readString(log).contains("event=ready")) {
      if (!process.isAlive() || System.nanoTime() > giveUp) {
        process.destroyForcibly();
        throw new IOException("krond did not become ready:\n" + Files.readString(log));
      }
      TimeUnit.MILLISECONDS.sleep(10);
    }
    return new Running(process);
  }
}
