package dev.kron.simulation;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.daemon.HandDrivenDaemon;
import dev.kron.daemon.loop.Answer;
import dev.kron.service.ServiceSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asks daemons for things, and tells the witness what was asked and answered. */
final class Operator {
  private static final long MINUTE = 60_000_000_000L;

  private final Machine machine;
  private final Witness witness;
  private final Files files;
  private final List<Asked> asked = new ArrayList<>();
  private int reloading;
  private boolean waitsForJobs;
  private Map<String, JobEntry> lastRead = Map.of();
  private Map<String, ServiceSpec> lastReadServices = Map.of();
  private @Nullable NotifyEntry lastReadNotice;

  Operator(Machine machine, Witness witness, Files files) {
    this.machine = machine;
    this.witness = witness;
    this.files = files;
  }

  /** A request, and whom it was put to. */
  private record Asked(
      String what,
      @Nullable String identity,
      @Nullable String service,
      DaemonLife life,
      long atNanos,
      CompletableFuture<Answer> answer) {}

  /**
   * The periods that a daemon was asked to forget may be forgotten, although it did not live to say
   * so.
   */
  void lastWords(DaemonLife dead) {
    for (Asked request : asked) {
      if (request.life() == dead && !request.answer().isDone()) {
        String identity = request.identity();
        if (request.what().equals("forget") && identity != null) {
          witness.releasing(identity);
        }
        if (request.service() != null) {
          witness.services().unanswered(request.service());
        }
      }
    }
  }

  void ask(HistoryStep step, DaemonLife daemon) {
    String identity = Files.identity(Entries.name(step.which()));
    switch (step.kind()) {
      case CRASH_SOON -> daemon.lifeline.cutBefore(step.amount());
      case STOP -> stop(daemon, HandDrivenDaemon::stop);
      case STOP_AFTER_JOBS -> {
        waitsForJobs = true;
        stop(daemon, HandDrivenDaemon::stopWhenJobsHaveEnded);
      }
      case STOP_WITH_JOBS -> stopWithJobs(daemon);
      case RELOAD -> reload(daemon);
      case SUSPEND -> {
        witness.ending(identity);
        ask("suspend", daemon, identity, it -> it.suspend(identity));
      }
      case RESUME -> {
        witness.resuming(identity);
        ask("resume", daemon, identity, it -> it.resume(identity));
      }
      case RUN_NOW -> ask("run", daemon, identity, it -> it.runNow(identity));
      case END_RUNS -> {
        witness.ending(identity);
        ask("end runs", daemon, identity, it -> it.endRuns(identity));
      }
      case FORGET -> {
        witness.ending(identity);
        witness.releasing(identity);
        ask("forget", daemon, identity, it -> it.forget(identity));
      }
      case SERVICE_START -> askService("start service", daemon, step);
      case SERVICE_STOP -> askService("stop service", daemon, step);
      case SERVICE_RESTART -> askService("restart service", daemon, step);
      case SERVICE_SCALE -> scale(daemon, ServiceEntries.name(step.which()), (int) step.amount());
      default -> daemon.daemon().keepHouse();
    }
  }

  /** Lets the daemon leave alone. */
  private void stop(
      DaemonLife daemon, Function<HandDrivenDaemon, CompletableFuture<Answer>> request) {
    witness.around().leaving = true;
    witness.services().leaving();
    ask("stop", daemon, null, request);
  }

  /** Lets the daemon leave with everything that it has started. */
  private void stopWithJobs(DaemonLife daemon) {
    witness.around().leaving = true;
    witness.around().disturbed();
    witness.endsAll();
    witness.services().halting();
    var _ =
        ask("stop", daemon, null, HandDrivenDaemon::stopWithJobs)
            .answer()
            .thenAccept(
                answer -> {
                  if (answer.isDone()) {
                    witness.takesAll();
                  }
                });
  }

  /** Whether nothing else was asked of this daemon that could have undone what it says. */
  private boolean isAlone(DaemonLife daemon, long askedAt) {
    long since = askedAt - MINUTE;
    return asked.stream().filter(it -> it.life() == daemon && it.atNanos() >= since).count() == 1;
  }

  private void askService(String what, DaemonLife daemon, HistoryStep step) {
    askService(what, daemon, ServiceEntries.name(step.which()));
  }

  void askService(String what, DaemonLife daemon, String name) {
    witness.services().asked(what.equals("restart service"));
    long askedAt = machine.clock.nanos();
    var _ =
        ask(
                what,
                daemon,
                null,
                name,
                it ->
                    switch (what) {
                      case "start service" -> it.startService(name);
                      case "stop service" -> it.stopService(name);
                      default -> it.restartService(name);
                    })
            .answer()
            .thenAccept(
                answer -> {
                  witness.services().answered(what, name, answer.isDone());
                  if (answer.isDone() && isAlone(daemon, askedAt)) {
                    witness.services().answered(what, name);
                  }
                });
  }

  private void scale(DaemonLife daemon, String name, int count) {
    witness.services().scaling(name);
    long askedAt = machine.clock.nanos();
    var _ =
        ask("scale service", daemon, null, name, it -> it.scaleService(name, count))
            .answer()
            .thenAccept(answer -> witness.services().scaled(name, count, askedAt, answer.isDone()));
  }

  private Asked ask(
      String what,
      DaemonLife daemon,
      @Nullable String identity,
      Function<HandDrivenDaemon, CompletableFuture<Answer>> request) {
    return ask(what, daemon, identity, null, request);
  }

  private Asked ask(
      String what,
      DaemonLife daemon,
      @Nullable String identity,
      @Nullable String name,
      Function<HandDrivenDaemon, CompletableFuture<Answer>> request) {
    CompletableFuture<Answer> answer = request.apply(daemon.daemon());
    var question = new Asked(what, identity, name, daemon, machine.clock.nanos(), answer);
    asked.add(question);
    var _ = answer.thenAccept(it -> answered(question, it));
    daemon.asked();
    return question;
  }

  private void answered(Asked question, Answer answer) {
    machine.trace.say(() -> question.what() + " answered " + answer);
    witness.around().disturbed();
    String identity = question.identity();
    if (question.what().equals("forget") && identity != null) {
      witness.releasing(identity);
    }
    // Whatever was asked since then may have been done in the same write.
    long since = Math.min(question.atNanos(), machine.clock.nanos() - MINUTE);
    long requests =
        asked.stream()
            .filter(
                other ->
                    other.life() == question.life()
                        && Objects.equals(identity, other.identity())
                        && other.atNanos() >= since)
            .count();
    if (requests == 1) {
      witness.answered(question.what(), identity, answer);
    }
  }

  void reload(DaemonLife daemon) {
    boolean bad = files.isBad();
    reloading++;
    witness.krontabs().changing();
    witness.services().changing();
    var _ =
        ask("reload", daemon, null, HandDrivenDaemon::reload)
            .answer()
            .thenAccept(
                answer -> {
                  reloading--;
                  if (bad && answer.isDone() && files.isBad()) {
                    throw witness.fail(Invariant.BAD_FILES_CHANGE_NOTHING, answer.text());
                  }
                  if (answer.isDone()) {
                    witness.krontabs().applied(lastRead, daemon.isDeciding());
                    witness.services().applied(lastReadServices);
                    witness.messages().applied(lastReadNotice);
                  } else {
                    witness.krontabs().unchanged();
                    witness.services().unchanged();
                  }
                  if (reloading > 0) {
                    witness.krontabs().changing();
                    witness.services().changing();
                  }
                });
  }

  /** The files' contents, for a daemon that reads them. */
  Configuration read() {
    Configuration configuration = files.read();
    if (configuration.isValid()) {
      lastRead = files.entries();
      lastReadServices = Files.serviceSpecs(configuration);
      lastReadNotice = files.notice();
      witness.krontabs().reading(lastRead);
    }
    return configuration;
  }

  /** Another daemon is there: whatever an earlier one was asked is over. */
  void started() {
    reloading = 0;
    waitsForJobs = false;
  }

  /** Loses patience with a daemon that waits for a command that hangs. */
  void hurry(DaemonLife daemon) {
    if (waitsForJobs) {
      ask("stop", daemon, null, HandDrivenDaemon::stop);
    }
  }

  /** A request to a daemon before a moment that it has not answered; null: none. */
  @Nullable String unanswered(DaemonLife daemon, long beforeNanos) {
    return asked.stream()
        .filter(it -> it.life() == daemon && it.atNanos() < beforeNanos && !it.answer().isDone())
        .map(Asked::what)
        .findFirst()
        .orElse(null);
  }
}
