package dev.kron.daemon;

import dev.kron.daemon.api.Control;
import dev.kron.daemon.api.JobView;
import dev.kron.daemon.api.Notices;
import dev.kron.daemon.api.Snapshot;
import dev.kron.daemon.jobs.JobLaunches;
import dev.kron.daemon.jobs.JobLog;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Answer;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Request;
import dev.kron.daemon.notices.Notifier;
import dev.kron.daemon.runs.ExactCommand;
import dev.kron.daemon.runs.Executions;
import dev.kron.daemon.runs.KeptRuns;
import dev.kron.daemon.runs.RunNote;
import dev.kron.daemon.runs.Successor;
import dev.kron.daemon.services.HookOutput;
import dev.kron.daemon.services.ServiceStates;
import dev.kron.daemon.services.Services;
import dev.kron.fleet.FleetDesk;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobSpec;
import dev.kron.notice.Channel;
import dev.kron.notify.Sent;
import dev.kron.notify.channel.Delivery;
import dev.kron.process.ProcessIdentity;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.Usage;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceSpec;
import dev.kron.store.DiskException;
import dev.kron.store.Past;
import dev.kron.store.PastEvent;
import dev.kron.store.RunIds;
import dev.kron.store.StateDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The daemon as its API sees it. Requests go to the loop as inputs; records are read from disk.
 *
 * <p>One file, though a long one: it answers for one interface, and each answer is a few lines.
 */
final class Controls implements Control, AutoCloseable {
  /** However many ask, the loop is not looked at more often. */
  private static final long LOOK_EVERY_NANOS = 20_000_000L;

  /** More than is ever kept of a run whose files were joined. */
  private static final int JOINED_BYTES = 64 << 10;

  private final StateDirectory directory;
  private final Processes processes;
  private final Consumer<Input> inbox;
  private final Errands errands;
  private final JobLaunches launches;
  private final Recent recent;
  private final PastRecorder past;
  private final Services services;
  private final EventLog log;
  private final LoadForecast load;
  private final Supplier<@Nullable Notifier> notifier;
  private final InFleet inFleet;
  private @Nullable CompletableFuture<Snapshot> coming;
  private long lookedAtNanos = System.nanoTime() - LOOK_EVERY_NANOS;
  private boolean closed;

  /** The sources of runs: those on disk, upcoming ones, and those that ended lately. */
  record Records(
      StateDirectory directory, JobLaunches launches, Recent recent, PastRecorder past) {}

  Controls(
      Records records,
      KeptRuns.Means means,
      Consumer<Input> inbox,
      Services services,
      EventLog log,
      Supplier<@Nullable Notifier> notifier,
      InFleet inFleet) {
    this.notifier = notifier;
    this.inFleet = inFleet;
    this.services = services;
    this.directory = records.directory();
    this.processes = means.processes();
    this.inbox = inbox;
    this.errands = means.errands();
    this.load = new LoadForecast(errands);
    this.launches = records.launches();
    this.recent = records.recent();
    this.past = records.past();
    this.log = log;
  }

  @Override
  public synchronized CompletableFuture<Snapshot> look() {
    if (closed) {
      return CompletableFuture.failedFuture(new Stopped());
    }
    CompletableFuture<Snapshot> present = coming;
    if (present == null) {
      present = new CompletableFuture<>();
      coming = present;
      long waitNanos = lookedAtNanos + LOOK_EVERY_NANOS - System.nanoTime();
      if (waitNanos <= 0) {
        inbox.accept(new Input.Looked(this::taken));
      } else {
        errands.after(
            TimeUnit.NANOSECONDS.toMillis(waitNanos) + 1,
            Errands.Place.LOOK_AT_JOBS,
            () -> inbox.accept(new Input.Looked(this::taken)),
            thrown -> inbox.accept(new Input.Looked(this::taken)));
      }
    }
    return present;
  }

  /**
   * Takes a snapshot from the loop, so that no event comes between. Later callers need a later
   * snapshot.
   */
  private void taken(Snapshot snapshot) {
    CompletableFuture<Snapshot> present;
    synchronized (this) {
      present = coming;
      coming = null;
      lookedAtNanos = System.nanoTime();
    }
    if (present != null) {
      present.complete(snapshot.asOf(log.lastEvent()));
    }
  }

  @Override
  public CompletableFuture<Answer> ask(Request request) {
    var reply = new CompletableFuture<Answer>();
    inbox.accept(new Input.Asked(request, reply));
    return reply;
  }

  @Override
  public List<HistoryEntry> history(String identity) throws UnreadableException {
    try {
      return past.ofJob(identity).followedBy(directory.jobs().history(identity));
    } catch (DiskException e) {
      throw new UnreadableException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public Story story(String identity, ZoneId zone) throws UnreadableException {
    try {
      Past kept = past.ofJob(identity);
      List<HistoryEntry> runs = kept.followedBy(directory.jobs().history(identity));
      return new Story(
          runs,
          kept.days(runs, zone).stream()
              .map(day -> new Day(day.date(), day.counts(), day.medianMillis(), day.p95Millis()))
              .toList());
    } catch (DiskException e) {
      throw new UnreadableException(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public List<ServiceEvent> story(String service) {
    return past.ofService(service).events().stream()
        .map(
            event ->
                new ServiceEvent(
                    event.atMillis(),
                    event.instance(),
                    event.what(),
                    event.exitCode(),
                    event.reason(),
                    event.runId()))
        .toList();
  }

  @Override
  public List<Ended> recent() {
    return recent.all(directory);
  }

  @Override
  public List<Hindered> hindered(String identity) {
    List<Hindered> found = new ArrayList<>();
    for (PastEvent event : past.aroundJob(identity)) {
      long at = Math.floorDiv(event.atMillis(), 1000L);
      switch (event.what()) {
        case "suspended" -> found.add(begins(Hindrance.SUSPENDED, at, null));
        case "removed" -> found.add(begins(Hindrance.NOT_IN_FILE, at, null));
        case "unwritable" -> found.add(begins(Hindrance.UNWRITABLE, at, event.reason()));
        case JobLog.RESUMED -> end(found, Hindrance.SUSPENDED, at);
        case "added" -> end(found, Hindrance.NOT_IN_FILE, at);
        case "writable" -> end(found, Hindrance.UNWRITABLE, at);
        default -> {} // of a newer version
      }
    }
    return found;
  }

  private static Hindered begins(Hindrance by, long at, @Nullable String reason) {
    return new Hindered(by, at, Long.MAX_VALUE, reason);
  }

  private static void end(List<Hindered> found, Hindrance by, long at) {
    found.replaceAll(
        each ->
            each.by() == by && each.to() == Long.MAX_VALUE
                ? new Hindered(by, each.from(), at, each.reason())
                : each);
  }

  @Override
  public List<Absence> downBetween(long from, long to) {
    return directory.ledger().downBetween(from, to).stream()
        .map(absence -> new Absence(absence.from(), absence.to()))
        .toList();
  }

  @Override
  public @Nullable RunFiles run(String runId) {
    if (!RunIds.isRunId(runId)) {
      return null;
    }
    String identity = RunNote.read(directory.runs(), runId).identity();
    Successor successor = Successor.of(directory.runs(), runId);
    return new RunFiles(
        identity.isEmpty() && successor != null ? successor.identity() : identity,
        directory.runs().of(runId));
  }

  @Override
  public byte[] keptOutput(String runId, String stream) throws IOException {
    return directory.runs().kept(runId, stream, JOINED_BYTES);
  }

  @Override
  public @Nullable Integer commandPid(String runId) {
    try {
      ProcessIdentity command =
          RunIds.isRunId(runId)
              ? processes.command(new Run(runId, directory.runs().of(runId)))
              : null;
      return command == null ? null : command.pid();
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public Map<String, Usage> usage(List<String> runIds) {
    try {
      Map<String, Usage> found = new HashMap<>();
      List<Run> runs =
          runIds.stream().map(id -> new Run(id, directory.serviceRuns().of(id))).toList();
      processes.usage(runs).forEach((run, usage) -> found.put(run.id(), usage));
      return found;
    } catch (IOException e) {
      return Map.of();
    }
  }

  @Override
  public @Nullable String successor(String runId) {
    Successor successor = RunIds.isRunId(runId) ? Successor.of(directory.runs(), runId) : null;
    return successor == null ? null : successor.runId();
  }

  @Override
  public ExactCommand execution(JobSpec spec, long atMillis) {
    return launches.next(spec, atMillis);
  }

  @Override
  public @Nullable ExactCommand executed(String runId) {
    return RunIds.isRunId(runId) ? Executions.noted(directory.runs(), runId) : null;
  }

  @Override
  public ServicesView services() {
    var view = services.view();
    return new ServicesView(
        view.supervised(), view.facts().bindings(), services.outdated(), facts(view));
  }

  private Map<InstanceId, InstanceFacts> facts(ServiceStates.View view) {
    Map<InstanceId, InstanceFacts> facts = new HashMap<>();
    view.facts()
        .pasts()
        .forEach(
            (id, past) ->
                facts.put(
                    id,
                    new InstanceFacts(
                        view.facts().keeperPid(id),
                        past.restarts(),
                        services.restartsLastDay(past),
                        past.lastExit(),
                        past.lastExitAt(),
                        lastReload(id))));
    return facts;
  }

  private @Nullable LastReload lastReload(InstanceId id) {
    HookOutput.Reloaded last = services.lastReload(id);
    return last == null
        ? null
        : new LastReload(
            last.runId(), last.exitCode(), last.problem(), last.output(), last.endedAt());
  }

  @Override
  public @Nullable String credentialsProblem(ServiceSpec spec, String profile) {
    return services.credentialsProblem(spec, profile);
  }

  @Override
  public @Nullable Result result(String identity, boolean look) {
    return recent.result(identity, look ? directory : null);
  }

  @Override
  public boolean learnResults(List<JobView> jobs, long patienceMillis) {
    List<String> identities = jobs.stream().map(JobView::identity).toList();
    return recent.learn(identities, directory, errands, patienceMillis);
  }

  @Override
  public Load load(Snapshot snapshot) {
    return load.load(snapshot);
  }

  @Override
  public @Nullable Notices notices() {
    Notifier present = notifier.get();
    return present == null ? null : new Sending(present);
  }

  private record Sending(Notifier notifier) implements Notices {
    @Override
    public Collection<Channel> channels() {
      return notifier.spec().channels().values();
    }

    @Override
    public List<Sent> log(int limit) {
      return notifier.log(limit);
    }

    @Override
    public @Nullable Delivery test(String channel) {
      return notifier.test(channel);
    }

    @Override
    public int waiting() {
      return notifier.outbox().waiting();
    }

    @Override
    public long delivered() {
      return notifier.outbox().delivered();
    }

    @Override
    public long lost() {
      return notifier.outbox().lost();
    }
  }

  @Override
  public @Nullable FleetDesk fleet() {
    return inFleet.desk();
  }

  @Override
  public Path log(InstanceId instance) {
    return services.log(instance);
  }

  @Override
  public ExactCommand execution(ServiceSpec spec, InstanceId instance) {
    return services.execution(spec, instance);
  }

  @Override
  public synchronized boolean isStopped() {
    return closed;
  }

  @Override
  public void asked(String who, String what, @Nullable String of) {
    log.info("control", "asked", "by", who, "what", what, "of", of);
  }

  /** Fails all waiting requests, because the loop has ended. */
  @Override
  public void close() {
    CompletableFuture<Snapshot> present;
    synchronized (this) {
      closed = true;
      present = coming;
      coming = null;
    }
    if (present != null) {
      present.completeExceptionally(new Stopped());
    }
  }
}
