package dev.kron.cli;

import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.output.Surroundings;
import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.Diagnostic;
import dev.kron.config.FleetFile;
import dev.kron.config.Krontab;
import dev.kron.config.KrontabParser;
import dev.kron.job.JobSpec;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where krontabs are, and what is in them. */
final class Krontabs {
  private static final Path SYSTEM = Path.of("/etc/krond.d");

  private Krontabs() {}

  /** The paths that were named, or the directory that the user's daemon would read. */
  static List<Path> paths(List<String> named, Surroundings surroundings) {
    if (named.isEmpty()) {
      Path usual = configuration(surroundings);
      if (Files.notExists(usual)) {
        throw new RefusedException(
            ExitCode.UNREADABLE,
            List.of(
                "there is no "
                    + usual
                    + " yet, where jobs and services are written down: make it with kron init, or"
                    + " name another directory"));
      }
      return List.of(usual);
    }
    List<Path> paths = new ArrayList<>(named.size());
    for (String name : named) {
      try {
        paths.add(surroundings.directory().resolve(name));
      } catch (InvalidPathException e) {
        throw new RefusedException(
            ExitCode.UNREADABLE, List.of("\"" + name + "\" cannot be the name of a file"));
      }
    }
    return paths;
  }

  /** The directory that the daemon of this user reads where none is named. */
  static Path configuration(Surroundings surroundings) {
    if (Account.current().uid() == 0) {
      return SYSTEM;
    }
    String home = surroundings.environment().variable("HOME");
    if (home == null || home.isEmpty()) {
      throw new RefusedException(
          ExitCode.UNREADABLE, List.of("HOME is not set: say where the krontabs are"));
    }
    return Path.of(home, ".config", "krond");
  }

  /**
   * All jobs of the named paths. Nothing is answered from a file with errors: the daemon would
   * refuse it as well. Who owns a file does not matter here, because nothing is executed.
   */
  static List<JobSpec> jobs(List<String> named, Surroundings surroundings) {
    ConfigFiles.Configuration configuration =
        ConfigFiles.read(
            paths(named, surroundings),
            ConfigFiles.Settings.of(Account.current()).withSecure(false).withFollowLinks(true),
            KrontabParser.Settings.DEFAULT);
    List<JobSpec> jobs = new ArrayList<>();
    List<String> errors = new ArrayList<>();
    int code = ExitCode.REFUSED;
    for (Krontab krontab : configuration.krontabs()) {
      jobs.addAll(krontab.jobs());
      for (Diagnostic diagnostic : krontab.diagnostics()) {
        if (diagnostic.isError()) {
          errors.add(diagnostic.toString());
        }
      }
      if (krontab.status() == Krontab.Status.UNREADABLE) {
        code = ExitCode.UNREADABLE;
      }
    }
    FleetFile fleet = configuration.fleetFile();
    if (fleet != null) {
      fleet.diagnostics().stream()
          .filter(Diagnostic::isError)
          .forEach(diagnostic -> errors.add(diagnostic.toString()));
    }
    if (!errors.isEmpty()) {
      throw new RefusedException(code, errors);
    }
    return jobs;
  }
}
