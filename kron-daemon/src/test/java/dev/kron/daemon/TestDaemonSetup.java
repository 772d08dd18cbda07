package dev.kron.daemon;

import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.KrontabParser;
import dev.kron.daemon.api.ApiSettings;
import dev.kron.daemon.api.Caller;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Background;
import dev.kron.daemon.loop.Workers;
import dev.kron.daemon.web.WebSettings;
import dev.kron.json.Json;
import dev.kron.process.Exits;
import dev.kron.process.LinuxProcesses;
import dev.kron.process.Processes;
import dev.kron.process.SystemUsers;
import dev.kron.store.Disk;
import dev.kron.store.JobStates;
import dev.kron.store.LinuxDisk;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateSettings;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a daemon of a test is started with: its files, its disk, its settings.
 *
 * @param <T> who is returned, for the next call
 */
public abstract class TestDaemonSetup<T extends TestDaemonSetup<T>> {
  final Path directory;
  public final Path file;
  public final HandClocks clocks;
  private final Path config;
  private Disk disk = new LinuxDisk();
  private Function<Exits, Processes> processes = LinuxProcesses::open;
  private Supplier<Background> background = Workers::new;
  private List<String> onFailure = List.of();
  private Duration onFailureLimit = Settings.DEFAULT_ON_FAILURE_LIMIT;
  private ApiSettings api = ApiSettings.NONE;
  private Duration stopTimeout = Duration.ofSeconds(30);
  private int historyLimit = 1000;
  private long outputLimitBytes = 1L << 30;
  private @Nullable String exitWith;
  private boolean serviceOutput;
  private List<String> jobMetrics = List.of();
  private WebSettings web = WebSettings.USUAL;

  TestDaemonSetup(Path directory, String start) throws IOException {
    this.directory = directory;
    this.clocks = new HandClocks(start);
    this.config = Files.createDirectories(directory.resolve("config"));
    this.file = config.resolve("jobs");
  }

  abstract T self();

  public T on(Disk disk) {
    this.disk = disk;
    return self();
  }

  T with(Function<Exits, Processes> processes) {
    this.processes = processes;
    return self();
  }

  /** What services write is shown on the daemon's standard output. */
  public T showingServices() {
    this.serviceOutput = true;
    return self();
  }

  /** Other threads than the daemon's own. */
  public T background(Supplier<Background> threads) {
    this.background = threads;
    return self();
  }

  public T onFailure(String... words) {
    this.onFailure = List.of(words);
    return self();
  }

  /** How long an alert may take; by a real clock. */
  public T onFailureLimit(Duration time) {
    this.onFailureLimit = time;
    return self();
  }

  /** How long ending everything may take. */
  T stopTimeout(Duration time) {
    this.stopTimeout = time;
    return self();
  }

  /** How many entries of a job's history, and bytes of all output, are kept. */
  public T keeping(int entries, long bytes) {
    this.historyLimit = entries;
    this.outputLimitBytes = bytes;
    return self();
  }

  /** With a control socket, for the user who runs the test and root. */
  public T withApi() {
    return withApi(ApiSettings.at(socket()));
  }

  public T withApi(ApiSettings settings) {
    this.api = settings;
    return self();
  }

  /** With metrics of these jobs, each. */
  public T withJobMetrics(String... patterns) {
    this.jobMetrics = List.of(patterns);
    return self();
  }

  /** With a dashboard at another place than usual. */
  public T withWeb(WebSettings settings) {
    this.web = settings;
    return self();
  }

  public Caller caller() {
    return Caller.at(socket());
  }

  public Path socket() {
    return directory.resolve("run").resolve("krond.sock");
  }

  /** Everything ends with this service. */
  T exitWith(String service) {
    this.exitWith = service;
    return self();
  }

  /** Writes a service's file. */
  public T service(String name, String... lines) throws IOException {
    Files.writeString(config.resolve(name + ".toml"), String.join("\n", lines) + "\n");
    return self();
  }

  T remove(String service) throws IOException {
    Files.delete(config.resolve(service + ".toml"));
    return self();
  }

  Path config() {
    return config;
  }

  /** What a service has written so far. */
  String output(String instance) throws IOException {
    Path log = statePath().resolve("logs").resolve(instance + ".log");
    return Files.exists(log) ? Files.readString(log) : "";
  }

  /** Replaces the krontab. */
  public T write(String... lines) throws IOException {
    Files.writeString(file, String.join("\n", lines) + "\n");
    return self();
  }

  public String identity(String name) {
    return file + ":" + name;
  }

  public Path statePath() {
    return directory.resolve("state");
  }

  /** The state file of a job. */
  public Path stateFile(String job) {
    return statePath().resolve(JobStates.fileName(identity(job)));
  }

  /** The contents of a job's state file; empty if there is none. */
  public Json stateOf(String job) throws IOException {
    Path file = stateFile(job);
    return Json.parse(Files.exists(file) ? Files.readString(file) : "{}");
  }

  final Configuration read() {
    return ConfigFiles.read(
        List.of(config),
        ConfigFiles.Settings.of(Account.current()).withSecure(false),
        KrontabParser.Settings.DEFAULT);
  }

  final StateDirectory openState() throws Exception {
    return StateDirectory.open(
        statePath(), disk, StateSettings.standard(historyLimit, clocks::now), "the test");
  }

  /** Everything that a daemon consists of, not begun. */
  final World build(StateDirectory opened, OutputStream out, OutputStream err) {
    var settings =
        Settings.builder(List.of(config), statePath())
            .logLevel(EventLog.Level.DEBUG)
            .onFailure(onFailure)
            .onFailureLimit(onFailureLimit)
            .historyLimit(historyLimit)
            .outputLimitBytes(outputLimitBytes)
            .stopTimeout(stopTimeout)
            .api(api)
            .exitWith(exitWith)
            .observing(new Settings.Observing(null, serviceOutput, jobMetrics))
            .web(web)
            .build();
    var ports =
        new Ports(
            clocks,
            disk,
            processes,
            new SystemUsers(),
            directory.resolve("syslog"),
            System.getenv());
    return new World(
        settings,
        ports,
        background.get(),
        opened,
        this::read,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }
}
