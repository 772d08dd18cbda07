package dev.kron.daemon.services;

import dev.kron.daemon.log.EventLog;
import dev.kron.process.Processes;
import dev.kron.process.Readiness;
import dev.kron.process.Run;
import dev.kron.service.ServiceEvent.ReadySignalled;
import dev.kron.service.ServiceSpec;
import java.io.IOException;
import java.util.function.Consumer;

/** Hears of services that report that they are ready, and tells the loop. */
final class ServiceReadiness {
  private final Processes processes;
  private final ServiceLaunches launches;
  private final Consumer<ServiceInput> inbox;
  private final EventLog log;

  ServiceReadiness(
      Processes processes, ServiceLaunches launches, Consumer<ServiceInput> inbox, EventLog log) {
    this.processes = processes;
    this.launches = launches;
    this.inbox = inbox;
    this.log = log;
  }

  /** Listens for the report of a run's process, if it makes one. */
  void listen(Run run, ServiceSpec spec, Survivors.Owner owner) throws IOException {
    Readiness how = launches.readiness(spec, run.id());
    if (how != null) {
      processes.listen(run, how, new Listener(run, owner));
    }
  }

  /** Tells the loop that a process is ready, of which it knows already. */
  void tell(Run run, ServiceRun present) {
    inbox.accept(new ServiceInput.Happened(present.instance, new ReadySignalled(run.id()), null));
  }

  private final class Listener implements Readiness.Listener {
    private final Run run;
    private final Survivors.Owner owner;

    Listener(Run run, Survivors.Owner owner) {
      this.run = run;
      this.owner = owner;
    }

    @Override
    public void ready() {
      ServiceRun present = owner.present(run.id());
      if (present != null && present.readyNow()) {
        tell(run, present);
      }
    }

    @Override
    public void refused(int pid, int user) {
      ServiceRun present = owner.present(run.id());
      log.warn(
          "service",
          "ready_refused",
          "instance",
          present == null ? "" : present.instance,
          "run",
          run.id(),
          "pid",
          pid,
          "uid",
          user,
          "reason",
          "the sender does not belong to the run, or has ended");
    }
  }
}
