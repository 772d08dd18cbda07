package dev.kron.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The cron daemons of the distribution, each in the foreground on a spool of its own. Their paths
 * are compiled in, so they see other directories there, in a mount namespace of their own; that
 * takes root.
 */
final class Peers {
  /** What every one of them has read its files after. */
  private static final int SETTLE_SECONDS = 3;

  private Peers() {}

  /** Those that can be had here; says why of the others. */
  static List<CronDaemon> available(Path scratch) throws InterruptedException {
    var packages = new Packages(scratch);
    var peers = new ArrayList<CronDaemon>();
    peers.addAll(peer("cron", packages, root -> new Vixie("cron", root.resolve("usr/sbin/cron"))));
    peers.addAll(
        peer("cronie", packages, root -> new Vixie("cronie", root.resolve("usr/sbin/crond"))));
    peers.addAll(peer("bcron", packages, Bcron::new));
    return peers;
  }

  private interface Made {
    CronDaemon from(Path root);
  }

  private static List<CronDaemon> peer(String name, Packages packages, Made made)
      throws InterruptedException {
    try {
      if (!System.getProperty("user.name", "").equals("root")) {
        throw new IOException("it needs root");
      }
      String[] names = name.equals("bcron") ? new String[] {name, "libbg2"} : new String[] {name};
      return List.of(made.from(packages.unpack(names)));
    } catch (IOException e) {
      System.out.println("without " + name + ": " + e.getMessage());
      return List.of();
    }
  }

  /** Vixie cron's descendants: Debian's, and cronie. Takes the lines as a crontab of the system. */
  private record Vixie(String name, Path program) implements CronDaemon {
    private static final String SURROUNDINGS =
        """
        mount -t tmpfs none /etc/cron.d && mount -t tmpfs none /var/spool && mount -t tmpfs none /run &&
        mkdir -p /var/spool/cron/crontabs && cp "$1" /etc/cron.d/bench && exec "$2" $3
        """;

    @Override
    public Running start(Path scratch, Crontab crontab) throws IOException, InterruptedException {
      Path file = Files.writeString(scratch.resolve("crontab"), crontab.text(" root"));
      String foreground = name.equals("cronie") ? "-n" : "-f";
      return settled(
          scratch,
          List.of(
              "unshare",
              "-m",
              "sh",
              "-c",
              SURROUNDINGS,
              "sh",
              file.toString(),
              program.toString(),
              foreground),
          Map.of());
    }
  }

  /** Bruce Guenter's, a scheduler and an executor. */
  private record Bcron(Path root) implements CronDaemon {
    @Override
    public String name() {
      return "bcron";
    }

    @Override
    public Running start(Path scratch, Crontab crontab) throws IOException, InterruptedException {
      Path spool = scratch.resolve("spool");
      Files.createDirectories(spool.resolve("crontabs"));
      Files.writeString(spool.resolve("crontabs/root"), crontab.text(""));
      Child.run(spool, List.of("mkfifo", "trigger"));
      Child.run(scratch, List.of("chmod", "-R", "a+rX", "."));
      return settled(
          scratch,
          List.of(root.resolve("usr/sbin/bcron-start").toString()),
          Map.of(
              "BCRON_SPOOL",
              spool.toString(),
              "BCRON_USER",
              "root",
              "LD_LIBRARY_PATH",
              root.resolve("usr/lib").toString(),
              "PATH",
              root.resolve("usr/sbin") + ":" + System.getenv("PATH")));
    }
  }

  private static CronDaemon.Running settled(
      Path scratch, List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    Path log = scratch.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("TZ", "UTC");
    builder.environment().putAll(environment);
    Process process = builder.start();
    if (process.waitFor(SETTLE_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException(command.getFirst() + " does not run:\n" + Files.readString(log));
    }
    return new CronDaemon.Running(process);
  }
}
