package dev.kron.daemon;

import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.Diagnostic;
import dev.kron.config.DiagnosticRenderer;
import dev.kron.config.EntryInspector;
import dev.kron.config.KrontabParser;
import dev.kron.config.OtherUsers;
import dev.kron.daemon.loop.Workers;
import dev.kron.process.Urgency;
import dev.kron.process.Users;
import dev.kron.store.DiskException;
import dev.kron.store.LockHeldException;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateRefusedException;
import dev.kron.store.StateSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.List;

/** {@code krond}: it checks everything, then assembles the daemon and runs its loop. */
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
  private boolean alone;

  public Daemon(Settings settings, PrintStream out, PrintStream err) {
    this(settings, Ports.system(), out, err);
  }

  Daemon(Settings settings, Ports ports, PrintStream out, PrintStream err) {
    this.settings = settings;
    this.ports = ports;
    this.out = out;
    this.err = err;
  }

  /** The process is this daemon's own: the JVM's compilers give way to commands as well. */
  public Daemon alone() {
    alone = true;
    return this;
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
    boolean root = ports.users().mayBecomeOthers();
    var others = new OtherUsers(new Self(ports.users()));
    Configuration read =
        ConfigFiles.read(
            settings.config(),
            ConfigFiles.Settings.of(Account.current())
                .withFollowLinks(settings.followSymlinks())
                .withNotifyFile(settings.observing().notifyFile()),
            KrontabParser.Settings.DEFAULT.withStrict(settings.strict()),
            root ? EntryInspector.NONE : others);
    return root
        ? read
        : new Configuration(
            read.krontabs(),
            read.services().stream().map(others::check).toList(),
            read.passedOver(),
            read.notifyFile(),
            read.fleetFile());
  }

  /** The user that this daemon runs as. */
  private record Self(Users users) implements OtherUsers.Self {
    @Override
    public String name() {
      return users.self().name();
    }

    @Override
    public boolean isUser(String user) {
      return users.user(user).filter(it -> it.uid() == users.self().uid()).isPresent();
    }

    @Override
    public boolean isGroup(String group) {
      return users.group(group).filter(it -> it == users.self().gid()).isPresent();
    }
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
    try (var world =
        new World(settings, ports, new Workers(), directory, this::configuration, out, err)) {
      world.heedSignals();
      world.begin(configuration);
      if (alone) {
        Urgency.ofCompilers();
      }
      return world.loop();
    }
  }
}
