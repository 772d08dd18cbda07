package dev.kron.daemon;

import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.Diagnostic;
import dev.kron.config.DiagnosticRenderer;
import dev.kron.config.Krontab;
import dev.kron.config.KrontabParser;
import dev.kron.config.ServiceFile;
import dev.kron.job.JobSpec;
import dev.kron.process.Users;
import dev.kron.service.ServiceSpec;
import dev.kron.store.DiskException;
import dev.kron.store.LockHeldException;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateRefusedException;
import dev.kron.store.StateSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code krond}: checks everything, then brings the loop and the world together. */
public final class Daemon {
  /** Stopped cleanly. */
  public static final int OK = 0;

  /** The configuration has errors; nothing was started. */
  public static final int CONFIGURATION = 1;

  /** The state directory cannot be used. */
  public static final int STATE = 2;

  /** Another daemon holds the state directory. */
  public static final int LOCK = 3;

  /** State could not be written when the daemon stopped. */
  public static final int NOT_WRITTEN = 4;

  /** Not everything that was to end with the daemon could be ended. */
  public static final int LEFT_BEHIND = 5;

  private static final int COLUMNS = 120;

  private final Settings settings;
  private final Ports ports;
  private final PrintStream out;
  private final PrintStream err;
  private final boolean rehearsed;

  public Daemon(Settings settings, PrintStream out, PrintStream err) {
    this(settings, Ports.system(), out, err, true);
  }

  Daemon(Settings settings, Ports ports, PrintStream out, PrintStream err) {
    this(settings, ports, out, err, false);
  }

  private Daemon(
      Settings settings, Ports ports, PrintStream out, PrintStream err, boolean rehearsed) {
    this.rehearsed = rehearsed;
    this.settings = settings;
    this.ports = ports;
    this.out = out;
    this.err = err;
  }

  /** Runs until told to stop; returns the exit code. */
  public int run() throws InterruptedException {
    Configuration configuration = configuration();
    if (!configuration.isValid()) {
      return refuse(configuration);
    }
    String exitWith = settings.exitWith();
    if (exitWith != null
        && FileDesk.serviceSpecs(configuration).stream()
            .noneMatch(spec -> spec.name().equals(exitWith))) {
      err.println("krond: --exit-with " + exitWith + ": there is no such service");
      return CONFIGURATION;
    }
    var stateSettings =
        StateSettings.standard(
            settings.historyLimit(), () -> Instant.ofEpochMilli(ports.clocks().wallMillis()));
    String holder = "pid " + ProcessHandle.current().pid();
    try (StateDirectory directory =
        StateDirectory.open(settings.state(), ports.disk(), stateSettings, holder)) {
      return run(configuration, directory);
    } catch (LockHeldException e) {
      err.println("krond: " + e.getMessage());
      return LOCK;
    } catch (StateRefusedException | DiskException e) {
      err.println("krond: " + e.getMessage());
      return STATE;
    } catch (IOException e) {
      err.println("krond: the control socket cannot be opened: " + e.getMessage());
      return CONFIGURATION;
    }
  }

  private Configuration configuration() {
    Configuration read =
        ConfigFiles.read(
            settings.config(),
            ConfigFiles.Settings.of(Account.current()).withFollowLinks(settings.followSymlinks()),
            KrontabParser.Settings.DEFAULT.withStrict(settings.strict()));
    return ports.users().mayBecomeOthers()
        ? read
        : new Configuration(
            read.krontabs().stream().map(this::withoutOtherUsers).toList(),
            read.services().stream().map(this::withoutOtherUsers).toList(),
            read.passedOver());
  }

  private ServiceFile withoutOtherUsers(ServiceFile file) {
    ServiceSpec service = file.service();
    if (service == null) {
      return file;
    }
    String asked = othersAskedFor(service.user(), service.group());
    return asked == null
        ? file
        : file.with(
            List.of(
                file.at(
                    "service." + asked.substring(0, asked.indexOf('=')),
                    Diagnostic.Severity.ERROR,
                    onlyRoot("service " + service.name(), asked))));
  }

  /** The field by which somebody else is asked for, null where nobody is. */
  private @Nullable String othersAskedFor(@Nullable String user, @Nullable String group) {
    Users.Account self = ports.users().self();
    if (user != null && ports.users().user(user).filter(it -> it.uid() == self.uid()).isEmpty()) {
      return "user=" + user;
    }
    if (group != null && ports.users().group(group).filter(it -> it == self.gid()).isEmpty()) {
      return "group=" + group;
    }
    return null;
  }

  private String onlyRoot(String who, String asked) {
    return "%s asks for %s, but krond runs as %s, and only root may run commands as others: take %s out, or run krond as root"
        .formatted(who, asked, ports.users().self().name(), asked);
  }

  /** Only root can run commands as somebody else; anyone else is told so before anything starts. */
  private Krontab withoutOtherUsers(Krontab krontab) {
    List<Diagnostic> diagnostics = new ArrayList<>(krontab.diagnostics());
    for (JobSpec job : krontab.jobs()) {
      String asked = othersAskedFor(job.user(), job.group());
      if (asked != null) {
        String message = onlyRoot("job " + job.name(), asked);
        diagnostics.add(
            new Diagnostic(
                krontab.file(), job.line(), 1, message, Diagnostic.Severity.ERROR, null));
      }
    }
    return new Krontab(krontab.file(), krontab.status(), krontab.jobs(), diagnostics);
  }

  private int refuse(Configuration configuration) {
    var renderer = new DiagnosticRenderer(COLUMNS);
    List<Diagnostic> errors =
        configuration.diagnostics().stream().filter(Diagnostic::isError).toList();
    for (Diagnostic error : errors) {
      err.println(renderer.render(error));
    }
    err.println(
        "krond: "
            + errors.size()
            + (errors.size() == 1 ? " error" : " errors")
            + " in the configuration; nothing was started. Check with: kron lint");
    return CONFIGURATION;
  }

  private int run(Configuration configuration, StateDirectory directory)
      throws InterruptedException, StateRefusedException, DiskException, IOException {
    try (var world = new World(settings, ports, directory, this::configuration, out, err)) {
      world.heedSignals();
      world.begin(FileDesk.jobs(configuration), FileDesk.serviceSpecs(configuration));
      if (rehearsed) {
        world.rehearse();
      }
      return world.loop();
    }
  }
}
