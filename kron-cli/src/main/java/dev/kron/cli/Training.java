package dev.kron.cli;

import dev.kron.cli.line.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/**
 * The training run for the AOT cache, when the program is built: classes that commands load here
 * come ready-made from the cache later.
 */
final class Training {
  private static final String KRONTAB =
      """
      # every kind of line that a command may meet
      0 0 * * * @win(after,3h) @dist(uniform) name=one command="/bin/sh -c true" timeout=1h
      30 2 * * MON-FRI @tz(Europe/Paris) @win(around,90m) @dist(normal) name=two command=/bin/sh
      */5 * * * * @dist(skewLate) @win(before,5m) @seed(daily,salt="a b") name=three command=sh
      0 9 * * * @win(after,8h) @dist(exponential) @avoid(between=12:00-13:00) name=four command=/x
      0 8 * * * @only(dow=MON;hours=8-9) @win(after,1h) name=five command=/x stdout=file:/x/y env=A=b
      0 1 1-7 JAN,JUL 1 @win(after,1h) @dist(skewEarly,shape=3) @seed(weekly) name=six command=/x
      1,2 1 * * * @policy(concurrency=replace,deadline=1h) name=seven command=/x stdout=discard
      0 3 * * * @dist(normal,mu=mid,sigma=5m) @win(after,1h) name=eight command="a 'b c' \\"d\\""
      0 4 * * * name=nine command="a | b" shell=true cwd=/ umask=027 stderr=syslog onfailure=/x
      0 5 * * * @avoid(dates=2026-01-01..2026-01-02) name=ten command=/x description="a b" user=root
      """;

  private static final String SERVICE =
      """
      [service]
      exec = ["/bin/sleep", "1"]
      instances = 2
      umask = 0o022
      [service.env]
      MODE = "prod"
      [dependencies]
      requires = []
      [lifecycle]
      restart = "always"
      restart_delay_ms = 5
      [health]
      tcp = "localhost:80"
      [log]
      max_size = "1MiB"
      """;

  private Training() {}

  public static void main(String[] ignored) throws IOException {
    Path directory =
        Files.createTempDirectory(
            "kron-training",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Path krontab = directory.resolve("training.krontab");
    Path service = directory.resolve("training.toml");
    try {
      Files.writeString(krontab, KRONTAB);
      Files.writeString(service, SERVICE);
      for (String format : List.of("text", "json")) {
        train(List.of("lint", service.toString(), "--format", format));
        train(List.of("graph", service.toString(), "--format", format));
      }
      for (List<String> words : lines(krontab.toString())) {
        train(words);
      }
      try (TrainingDaemon daemon = new TrainingDaemon(directory.resolve("krond.sock"))) {
        for (List<String> words : TrainingDaemon.lines()) {
          List<String> all = new ArrayList<>(words);
          all.addAll(List.of("--socket", daemon.socket().toString()));
          train(all);
        }
      }
    } finally {
      Files.deleteIfExists(krontab);
      Files.deleteIfExists(service);
      Files.delete(directory);
    }
  }

  private static List<List<String>> lines(String krontab) {
    List<List<String>> lines = new ArrayList<>();
    lines.add(List.of("version"));
    lines.add(List.of("help"));
    lines.add(List.of("explain", "--help"));
    lines.add(List.of("completion", "bash"));
    for (String format : List.of("text", "json")) {
      lines.add(List.of("lint", krontab, "--format", format));
      lines.add(List.of("next", "--file", krontab, "--format", format));
      lines.add(List.of("forecast", krontab, "--format", format));
      for (String job : List.of("one", "two", "three", "four", "five", "six", "eight")) {
        lines.add(List.of("explain", job, "--file", krontab, "--at=now", "--format", format));
      }
    }
    lines.add(List.of("forecast", krontab, "--format", "svg"));
    lines.add(
        List.of(
            "explain",
            "--schedule=0 0 * * * @win(after,1h)",
            "--identity=x",
            "--period=2026-03-01T00:00:00Z"));
    return lines;
  }

  private static void train(List<String> words) {
    int code = Main.call(words);
    // Where the build's temporary directory is not safe to keep krontabs in, lint rightly refuses.
    if (code != ExitCode.OK && !words.getFirst().equals("lint")) {
      throw new IllegalStateException("kron " + String.join(" ", words) + " ended with " + code);
    }
  }
}
