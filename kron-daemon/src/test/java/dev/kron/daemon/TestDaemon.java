package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.KrontabParser;
import dev.kron.daemon.Input.Asked;
import dev.kron.daemon.api.ApiSettings;
import dev.kron.daemon.api.Caller;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Background;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.loop.Workers;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.process.Exits;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Processes;
import dev.kron.process.SystemUsers;
import dev.kron.service.ServiceInstance;
import dev.kron.service.SupervisionState;
import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import dev.kron.store.LinuxDisk;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A daemon in this process, on clocks that the test moves and with real processes: write krontabs,
 * start, let time pass, look at the record.
 */
public final class TestDaemon implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration STRAGGLERS = Duration.ofSeconds(5);

  final Path directory;
  public final Path file;
  public final HandClocks clocks;
  final ByteArrayOutputStream out = new ByteArrayOutputStream();
  final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Path config;
  private Disk disk = new LinuxDisk();
  private Function<Exits, Processes> processes = LinuxProcesses::open;
  private Supplier<Background> background = Workers::new;
  private List<String> onFailure = List.of();
  private ApiSettings api = ApiSettings.NONE;
  private Duration stopTimeout = Duration.ofSeconds(30);
  private int historyLimit = 1000;
  private long outputLimitBytes = 1L << 30;
  private @Nullable String exitWith;
  private @Nullable StateDirectory state;
  private @Nullable World world;
  private @Nullable Thread thread;
  private final AtomicReference<@Nullable Integer> exitCode = new AtomicReference<>();

  public TestDaemon(Path directory, String start) throws IOException {
    this.directory = directory;
    this.clocks = new HandClocks(start);
    this.config = Files.createDirectories(directory.resolve("config"));
    this.file = config.resolve("jobs");
  }

  public TestDaemon on(Disk disk) {
    this.disk = disk;
    return this;
  }

  TestDaemon with(Function<Exits, Processes> processes) {
    this.processes = processes;
    return this;
  }

  /** Other threads than the daemon's own. */
  public TestDaemon background(Supplier<Background> threads) {
    this.background = threads;
    return this;
  }

  public TestDaemon onFailure(String... words) {
    this.onFailure = List.of(words);
    return this;
  }

  /** How long ending everything may take. */
  TestDaemon stopTimeout(Duration time) {
    this.stopTimeout = time;
    return this;
  }

  /** How many entries of a job's history, and bytes of all output, are kept. */
  public TestDaemon keeping(int entries, long bytes) {
    this.historyLimit = entries;
    this.outputLimitBytes = bytes;
    return this;
  }

  /** What the daemon does for itself now and then, now. */
  public void keepHouse() {
    running().keepHouse();
  }

  /** With a control socket, for the user who runs the test and root. */
  public TestDaemon withApi() {
    return withApi(ApiSettings.at(socket()));
  }

  public TestDaemon withApi(ApiSettings settings) {
    this.api = settings;
    return this;
  }

  public Path socket() {
    return directory.resolve("run").resolve("krond.sock");
  }

  /** The port of the control API, where it has one. */
  public int port() {
    return running().port();
  }

  public Caller caller() {
    return Caller.at(socket());
  }

  /** What the control API can do: method, path, authority, parameters. */
  public List<String> operations() {
    return running().operations();
  }

  boolean hasEnded() {
    return exitCode.get() != null;
  }

  /** Waits until the daemon has left by itself; its exit code. */
  public int awaitEnd() throws Exception {
    await("the daemon to stop", () -> exitCode.get() != null);
    release();
    return java.util.Objects.requireNonNull(exitCode.get());
  }

  /** Everything ends with this service. */
  TestDaemon exitWith(String service) {
    this.exitWith = service;
    return this;
  }

  /** Writes a service's file. */
  public TestDaemon service(String name, String... lines) throws IOException {
    Files.writeString(config.resolve(name + ".toml"), String.join("\n", lines) + "\n");
    return this;
  }

  TestDaemon remove(String service) throws IOException {
    Files.delete(config.resolve(service + ".toml"));
    return this;
  }

  Path config() {
    return config;
  }

  SupervisionState supervised() {
    return running().services().view().supervised();
  }

  /** The credentials that are bound to a service by command. */
  @Nullable String binding(String service) {
    return running().services().view().facts().bindings().get(service);
  }

  /** The state of a service, in the words that people read. */
  public String state(String service) {
    return supervised().state(service).name();
  }

  ServiceInstance instance(String service, int index) {
    return supervised().instances(service).get(index);
  }

  int pid(String service) {
    return java.util.Objects.requireNonNull(instance(service, 0).state().pid());
  }

  public TestDaemon awaitState(String service, String state) {
    await(service + " to be " + state, () -> state(service).equals(state));
    return this;
  }

  /** What a service has written so far. */
  String output(String instance) throws IOException {
    Path log = statePath().resolve("logs").resolve(instance + ".log");
    return Files.exists(log) ? Files.readString(log) : "";
  }

  /** Replaces the krontab. */
  public TestDaemon write(String... lines) throws IOException {
    Files.writeString(file, String.join("\n", lines) + "\n");
    return this;
  }

  public String identity(String name) {
    return file + ":" + name;
  }

  public Path statePath() {
    return directory.resolve("state");
  }

  /** Starts a daemon, which must come up. */
  public TestDaemon start() throws Exception {
    StateDirectory opened =
        StateDirectory.open(
            statePath(), disk, StateSettings.standard(historyLimit, clocks::now), "the test");
    var settings =
        new Settings(
            List.of(config),
            statePath(),
            false,
            false,
            EventLog.Format.TEXT,
            EventLog.Level.DEBUG,
            onFailure,
            historyLimit,
            outputLimitBytes,
            stopTimeout,
            api,
            exitWith);
    var ports =
        new Ports(
            clocks,
            disk,
            processes,
            new SystemUsers(),
            directory.resolve("syslog"),
            System.getenv());
    var started =
        new World(
            settings,
            ports,
            background.get(),
            opened,
            this::read,
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));
    Configuration read = read();
    assertEquals(List.of(), read.diagnostics());
    try {
      started.begin(FileDesk.jobs(read), FileDesk.serviceSpecs(read));
    } catch (IOException e) {
      started.close();
      opened.close();
      throw e;
    }
    exitCode.set(null);
    thread =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    exitCode.set(started.loop());
                  } catch (InterruptedException e) {
                    // Abandoned by the test.
                  }
                });
    world = started;
    state = opened;
    return this;
  }

  private Configuration read() {
    return ConfigFiles.read(
        List.of(config),
        ConfigFiles.Settings.of(Account.current()).withSecure(false),
        KrontabParser.Settings.DEFAULT);
  }

  /** Lets time pass, a second at a time, as the daemon sees it. */
  public TestDaemon pass(Duration time) {
    for (long seconds = time.toSeconds(); seconds > 0; seconds--) {
      clocks.pass(Duration.ofSeconds(1));
      nudge();
    }
    return this;
  }

  /** Lets time pass up to a moment. */
  public TestDaemon passUntil(String instant) {
    return pass(Duration.between(clocks.now(), Instant.parse(instant)));
  }

  /** Sets the wall clock. */
  public TestDaemon setClock(String instant) {
    clocks.set(instant);
    nudge();
    return this;
  }

  /**
   * Waits until the loop has looked at the clocks. It does so after each round of inputs, so a
   * second answer to something that concerns nobody means that it has, after the first.
   */
  private void nudge() {
    try {
      ask(new Request.Suspend("nobody"));
      ask(new Request.Suspend("nobody"));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private World running() {
    World present = world;
    if (present == null) {
      throw new IllegalStateException("start the daemon first");
    }
    return present;
  }

  public Answer ask(Request request) throws Exception {
    var reply = new CompletableFuture<Answer>();
    running().post(new Asked(request, reply));
    return reply.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  /** Stops the daemon as SIGTERM does; its exit code. */
  public int stop() throws Exception {
    return stop(Request.Stop.LEAVE_JOBS);
  }

  public int stop(Request.Stop how) throws Exception {
    ask(how);
    await("the daemon to stop", () -> exitCode.get() != null);
    release();
    return java.util.Objects.requireNonNull(exitCode.get());
  }

  private void release() throws InterruptedException {
    World present = world;
    world = null;
    if (present != null) {
      present.close();
    }
    Thread waiting = thread;
    if (waiting != null) {
      waiting.interrupt();
      waiting.join();
    }
    if (state != null) {
      state.close();
    }
  }

  /** The history of a job, as it is on disk. */
  public List<HistoryEntry> history(String name) {
    try {
      return stateDirectory().jobs().history(identity(name));
    } catch (DiskException e) {
      throw new AssertionError(e);
    }
  }

  public JobState job(String name) {
    try {
      return stateDirectory()
          .jobs()
          .find(identity(name))
          .orElseGet(() -> JobState.unseen(identity(name)));
    } catch (DiskException e) {
      throw new AssertionError(e);
    }
  }

  private StateDirectory stateDirectory() {
    StateDirectory present = state;
    if (present == null) {
      throw new IllegalStateException("start the daemon first");
    }
    return present;
  }

  /** Waits until the history of a job has an entry that fits, and returns it. */
  public HistoryEntry awaitEntry(String name, String what, Predicate<HistoryEntry> fits) {
    await(name + ": " + what, () -> history(name).stream().anyMatch(fits));
    return history(name).stream().filter(fits).findFirst().orElseThrow();
  }

  public HistoryEntry awaitEntries(String name, int count) {
    await(count + " entries of " + name, () -> history(name).size() >= count);
    return history(name).get(count - 1);
  }

  /** Waits for a condition, bounded; the log is in the message of a failure. */
  public void await(String what, Condition condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    synchronized (this) {
      while (!holds(condition)) {
        if (System.nanoTime() > deadline) {
          fail("not within " + PATIENCE.toSeconds() + " s: " + what + "\n" + log());
        }
        try {
          wait(5);
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  private static boolean holds(Condition condition) {
    try {
      return condition.holds();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** Something that becomes true. */
  public interface Condition {
    boolean holds() throws Exception;
  }

  /** What the daemon has said so far, all of it: a thread of its own writes it down. */
  public String log() {
    World present = world;
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (present != null && !present.hasWrittenItsLog() && System.nanoTime() < deadline) {
      java.util.concurrent.locks.LockSupport.parkNanos(200_000);
    }
    return err.toString(StandardCharsets.UTF_8);
  }

  /** Whether a process is there; a zombie is not, whoever should have buried it. */
  static boolean lives(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  /** The variables that a command printed with {@code env}. */
  static Map<String, String> variables(Path file) throws IOException {
    var variables = new java.util.TreeMap<String, String>();
    for (String line : Files.readAllLines(file)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        variables.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    return variables;
  }

  @Override
  public void close() {
    if (world != null) {
      try {
        stop(Request.Stop.END_JOBS);
        awaitStragglers();
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  /**
   * An alert outlives the daemon, and would write to a directory that the test removes. Whom a test
   * leaves behind on purpose is not waited for long.
   */
  private void awaitStragglers() throws InterruptedException {
    long giveUp = System.nanoTime() + STRAGGLERS.toNanos();
    while (System.nanoTime() < giveUp
        && ProcessHandle.current().descendants().anyMatch(this::knowsTheDirectory)) {
      java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
    }
  }

  private boolean knowsTheDirectory(ProcessHandle process) {
    Path proc = Path.of("/proc", Long.toString(process.pid()));
    try {
      String known =
          Files.readString(proc.resolve("environ"), StandardCharsets.ISO_8859_1)
              + Files.readString(proc.resolve("cmdline"), StandardCharsets.ISO_8859_1);
      return known.contains(directory.toString());
    } catch (IOException e) {
      return false; // it has ended
    }
  }
}
