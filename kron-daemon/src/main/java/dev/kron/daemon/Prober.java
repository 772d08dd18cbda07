package dev.kron.daemon;

import dev.kron.process.LaunchResult;
import dev.kron.process.Processes;
import dev.kron.process.Run;
import dev.kron.process.RunStatus;
import dev.kron.process.Signal;
import dev.kron.service.HealthCheck;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEvent;
import dev.kron.service.ServiceEvent.HealthCheckFailed;
import dev.kron.service.ServiceEvent.HealthCheckPassed;
import dev.kron.service.ServiceSpec;
import dev.kron.store.DiskException;
import dev.kron.store.RunDirectories;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks services whether they are well. A question has a bound of its own, and its answer comes to
 * the loop as an input with the run that it is about.
 */
final class Prober implements AutoCloseable {
  private static final int LEAST_GOOD_STATUS = 200;
  private static final int LEAST_BAD_STATUS = 400;

  private final Processes processes;
  private final RunDirectories directories;
  private final ServiceLaunches launches;
  private final Secrets secrets;
  private final Supplier<String> runIds;
  private final Background workers;
  private final Consumer<Input> inbox;
  private final ServiceLog log;
  private final Map<String, Question> commands = new ConcurrentHashMap<>();
  private volatile @Nullable HttpClient client;

  /** What is asked. */
  record Question(
      InstanceId instance,
      ServiceSpec spec,
      HealthCheck check,
      String runId,
      int attempt,
      @Nullable String profile) {}

  Prober(
      Processes processes,
      RunDirectories directories,
      ServiceLaunches launches,
      Secrets secrets,
      Supplier<String> runIds,
      Background workers,
      Consumer<Input> inbox,
      ServiceLog log) {
    this.processes = processes;
    this.directories = directories;
    this.launches = launches;
    this.secrets = secrets;
    this.runIds = runIds;
    this.workers = workers;
    this.inbox = inbox;
    this.log = log;
  }

  void ask(Question question) {
    switch (question.check().probe()) {
      case HealthCheck.Probe.Exec(List<String> command) ->
          workers.execute(() -> execute(question, command));
      case HealthCheck.Probe.Http(URI uri) -> beside(() -> get(question, uri));
      case HealthCheck.Probe.Tcp(String host, int port) ->
          beside(() -> connect(question, host, port));
    }
  }

  /** What waits for the network waits on a thread that costs nothing. */
  private void beside(Runnable task) {
    if (workers.byHand()) {
      workers.execute(task);
    } else {
      Thread.ofVirtual().name("krond-probe").start(task);
    }
  }

  private void get(Question question, URI uri) {
    Duration timeout = Duration.ofMillis(question.check().timeoutMillis());
    try {
      HttpRequest request = HttpRequest.newBuilder(uri).timeout(timeout).GET().build();
      int status = client().send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      boolean well = status >= LEAST_GOOD_STATUS && status < LEAST_BAD_STATUS;
      answer(question, well ? null : uri + " answered " + status);
    } catch (IOException | IllegalArgumentException e) {
      answer(question, uri + ": " + reason(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the daemon is done
    }
  }

  private HttpClient client() {
    HttpClient present = client;
    if (present == null) {
      synchronized (this) {
        present = client;
        if (present == null) {
          present =
              HttpClient.newBuilder()
                  .version(HttpClient.Version.HTTP_1_1)
                  .followRedirects(HttpClient.Redirect.NEVER)
                  .build();
          client = present;
        }
      }
    }
    return present;
  }

  private void connect(Question question, String host, int port) {
    try (var socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(host, port), Math.toIntExact(question.check().timeoutMillis()));
      answer(question, null);
    } catch (IOException | IllegalArgumentException | ArithmeticException e) {
      answer(question, host + ":" + port + ": " + reason(e));
    }
  }

  private static String reason(Exception e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  private void execute(Question question, List<String> command) {
    String id = runIds.get();
    try {
      List<String> secret =
          question.profile() == null
              ? List.of()
              : secrets.read(question.spec(), question.profile());
      Run run = new Run(id, directories.create(id));
      commands.put(id, question);
      LaunchResult result =
          processes.launch(
              launches.probe(question.spec(), question.instance(), run, secret, command));
      switch (result) {
        case LaunchResult.Launched _ ->
            workers.after(question.check().timeoutMillis(), () -> timeOut(run));
        case LaunchResult.Failed failed ->
            finish(run, failed.stage().text() + ": " + failed.reason());
        case LaunchResult.AlreadyClaimed _ -> finish(run, "its run had been claimed");
      }
    } catch (Launches.Refused | Secrets.UnusableException | DiskException e) {
      commands.remove(id);
      answer(question, reason(e));
    }
  }

  private void timeOut(Run run) {
    Question question = commands.get(run.id());
    if (question != null) {
      processes.signal(run, Signal.KILL);
      processes.members(run).forEach(process -> processes.signal(process, Signal.KILL));
      if (commands.remove(run.id(), question)) {
        answer(question, "no answer within " + question.check().timeoutMillis() + " ms");
        workers.after(question.check().timeoutMillis(), () -> remove(run));
      }
    }
  }

  /** Whether this was the run of a check; if so, that is its answer. */
  boolean exited(Run run, RunStatus status) {
    if (!commands.containsKey(run.id())) {
      return false;
    }
    workers.execute(
        () -> {
          boolean well = status instanceof RunStatus.Ended ended && ended.exitCode() == 0;
          finish(run, well ? null : said(status));
        });
    return true;
  }

  private static String said(RunStatus status) {
    return status instanceof RunStatus.Ended ended
        ? "the check ended with " + ended.exitCode()
        : "the check ended, nobody knows how";
  }

  private void finish(Run run, @Nullable String failure) {
    Question question = commands.remove(run.id());
    if (question != null) {
      answer(question, failure);
      remove(run);
    }
  }

  private void remove(Run run) {
    try {
      directories.remove(run.id());
    } catch (DiskException e) {
      // Stays until the next start finds it.
    }
  }

  private void answer(Question question, @Nullable String failure) {
    ServiceEvent event;
    if (failure == null) {
      event = new HealthCheckPassed(question.runId());
    } else {
      log.healthFailed(question.instance(), question.attempt(), failure);
      event = new HealthCheckFailed(question.runId(), question.attempt());
    }
    inbox.accept(new Input.ServiceHappened(question.instance(), event, null));
  }

  @Override
  public void close() {
    HttpClient present = client;
    if (present != null) {
      present.shutdownNow();
    }
  }
}
