package dev.kron.daemon.services;

import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.service.HealthCheck;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceEvent;
import dev.kron.service.ServiceEvent.HealthCheckFailed;
import dev.kron.service.ServiceEvent.HealthCheckPassed;
import dev.kron.service.ServiceSpec;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The prober asks services whether they are well. Each question has a time limit, and its answer
 * comes to the loop as an input with the run that was asked about.
 */
final class Prober {
  private static final int LEAST_GOOD_STATUS = 200;
  private static final int LEAST_BAD_STATUS = 400;

  private final Checks checks;
  private final Errands errands;
  private final Consumer<ServiceInput> inbox;
  private final ServiceLog log;

  /** A question about one run of a service. */
  record Question(
      InstanceId instance,
      ServiceSpec spec,
      HealthCheck check,
      String runId,
      int attempt,
      @Nullable String profile) {}

  Prober(Checks checks, Errands errands, Consumer<ServiceInput> inbox, ServiceLog log) {
    this.checks = checks;
    this.errands = errands;
    this.inbox = inbox;
    this.log = log;
  }

  void ask(Question question) {
    switch (question.check().probe()) {
      case HealthCheck.Probe.Exec(List<String> command) ->
          checks.ask(
              question,
              command,
              failure -> answer(question, failure),
              reason -> notAsked(question, reason));
      case HealthCheck.Probe.Http(URI uri) -> beside(question, () -> get(question, uri));
      case HealthCheck.Probe.Tcp(String host, int port) ->
          beside(question, () -> connect(question, host, port));
    }
  }

  /** A question over the network; returns what is wrong, or null. */
  private interface Network {
    @Nullable String ask() throws IOException;
  }

  /**
   * Asks over the network on a virtual thread. A name server may take its time and a server may
   * send one byte an hour: the answer comes in time all the same, and the thread is interrupted.
   */
  private void beside(Question question, Network network) {
    var answered = new AtomicBoolean();
    Runnable task =
        () -> {
          String failure;
          try {
            failure = network.ask();
          } catch (SocketTimeoutException e) {
            failure = noAnswer(question);
          } catch (IOException | IllegalArgumentException e) {
            failure = target(question) + ": " + reason(e);
          }
          if (answered.compareAndSet(false, true)) {
            answer(question, failure);
          }
        };
    Errands.Otherwise otherwise =
        thrown -> {
          if (answered.compareAndSet(false, true)) {
            answer(question, Errands.reason(thrown));
          }
        };
    if (errands.byHand()) {
      errands.execute(Place.ASK_NETWORK, task, otherwise);
      return;
    }
    Thread thread =
        Thread.ofVirtual()
            .name("krond-probe")
            .start(() -> errands.now(Place.ASK_NETWORK, task, otherwise));
    errands.after(
        question.check().timeoutMillis(),
        Place.END_CHECK,
        () -> {
          if (answered.compareAndSet(false, true)) {
            thread.interrupt();
            answer(question, noAnswer(question));
          }
        },
        otherwise);
  }

  private static String noAnswer(Question question) {
    return target(question) + ": no answer within " + question.check().timeoutMillis() + " ms";
  }

  private static String target(Question question) {
    return switch (question.check().probe()) {
      case HealthCheck.Probe.Exec(List<String> command) -> String.join(" ", command);
      case HealthCheck.Probe.Http(URI uri) -> uri.toString();
      case HealthCheck.Probe.Tcp(String host, int port) -> host + ":" + port;
    };
  }

  private static @Nullable String get(Question question, URI uri) throws IOException {
    int status = HttpStatus.request(uri, timeout(question));
    boolean well = status >= LEAST_GOOD_STATUS && status < LEAST_BAD_STATUS;
    return well ? null : uri + " answered " + status;
  }

  private static @Nullable String connect(Question question, String host, int port)
      throws IOException {
    try (var socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), timeout(question));
      return null;
    }
  }

  private static int timeout(Question question) {
    return (int) Math.min(question.check().timeoutMillis(), Integer.MAX_VALUE);
  }

  private static String reason(Exception e) {
    return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
  }

  private void notAsked(Question question, String reason) {
    log.checkWaits(question.instance(), reason);
    var event = new ServiceEvent.HealthCheckNotAsked(question.runId());
    inbox.accept(new ServiceInput.Happened(question.instance(), event, null));
  }

  private void answer(Question question, @Nullable String failure) {
    ServiceEvent event;
    if (failure == null) {
      event = new HealthCheckPassed(question.runId());
    } else {
      log.healthFailed(question.instance(), question.attempt(), failure);
      event = new HealthCheckFailed(question.runId(), question.attempt());
    }
    inbox.accept(new ServiceInput.Happened(question.instance(), event, null));
  }
}
