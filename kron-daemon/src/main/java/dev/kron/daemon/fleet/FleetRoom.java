package dev.kron.daemon.fleet;

import dev.kron.config.ConfigFiles;
import dev.kron.config.FleetFile;
import dev.kron.daemon.jobs.FleetRuns;
import dev.kron.daemon.jobs.Job;
import dev.kron.daemon.jobs.JobRuns;
import dev.kron.daemon.jobs.Jobs;
import dev.kron.daemon.jobs.RunTraces;
import dev.kron.daemon.log.Reports;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Writability;
import dev.kron.fleet.FleetDesk;
import dev.kron.fleet.FleetNode;
import dev.kron.fleet.FleetRequest;
import dev.kron.fleet.FleetStanding;
import dev.kron.fleet.Join;
import dev.kron.job.FleetRules;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobEvent;
import dev.kron.job.JobSpec;
import dev.kron.store.LineJournal;
import dev.kron.store.StateDirectory;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The fleet as the rest of the daemon knows it. Methods that change something are for the loop's
 * thread, those that look or ask for any.
 */
public final class FleetRoom implements FleetRuns, FleetDesk {
  private final Means means;
  private final ConfigFiles.Settings reading;
  private final String version;
  private final Latests latests = new Latests();
  private volatile @Nullable FleetMember member;

  /** What the room needs of the daemon. */
  public record Means(
      LoopTime time,
      Errands errands,
      Reports reports,
      StateDirectory directory,
      Jobs jobs,
      RunTraces traces,
      Writability writability,
      Consumer<FleetInput> post) {}

  public FleetRoom(Means means, ConfigFiles.Settings reading, String version) {
    this.means = means;
    this.reading = reading;
    this.version = version;
  }

  /**
   * An earlier daemon was in a fleet, and this one is in none. What others will run again is ended.
   * Before there is a loop.
   */
  public static void left(LineJournal journal, Jobs jobs, long wallMillis) throws IOException {
    FleetMemory memory = FleetLines.read(journal.read());
    if (memory == null) {
      return;
    }
    String by = "the fleet: this machine has left it";
    for (FleetMemory.Given given : memory.open().values()) {
      Job job = jobs.find(given.claim().row().identity());
      if (job != null && given.loss() == FleetRules.Loss.RERUN) {
        jobs.submit(job, new JobEvent.EndRequested(given.claim().run(), by, 0, wallMillis), null);
      }
    }
  }

  /** The moments up to which claims hold, for whoever starts runs. */
  public JobRuns.Latest latest() {
    return latests;
  }

  /**
   * The jobs of the files that were read just now.
   *
   * @param file null: this machine is in no fleet any more; what it owes one it keeps, and what
   *     others will run again it ends
   */
  public void use(@Nullable FleetFile file) {
    FleetFile.Settings settings = file == null ? null : file.settings();
    FleetMember present = member;
    FleetNode.Heard heard = null;
    if (present != null && !present.settings().equals(settings)) {
      heard = present.heard();
      if (settings == null) {
        present.abandon();
      }
      present.close();
      present = null;
      member = null;
    }
    if (file == null || settings == null) {
      return;
    }
    if (present != null) {
      present.jobs(specs());
      return;
    }
    String name = settings.nodeName();
    var card = new Join.Card(name, settings.labels(), version, settings.lease().toMillis());
    var door = new FleetDoor(file, settings, reading, means.errands(), FleetStanding.notYet(name));
    var made = new FleetMember(means, settings, card, door, latests, specs());
    made.heardBefore(heard);
    member = made;
    made.begin();
  }

  private List<JobSpec> specs() {
    return means.jobs().known().values().stream()
        .map(job -> job.spec)
        .filter(Objects::nonNull)
        .filter(JobSpec::isClaimed)
        .toList();
  }

  public void handle(FleetInput input) {
    if (input.to().equals(member)) {
      input.to().handle(input.what());
    }
  }

  @Override
  public void chain(Link link) {
    FleetMember present = member;
    if (present != null) {
      present.chain(link);
    }
  }

  @Override
  public void ended(String identity, HistoryEntry entry) {
    FleetMember present = member;
    String run = entry.runId();
    if (present != null && run != null && FleetRules.isOfFleet(identity)) {
      present.ended(run, entry);
    }
  }

  @Override
  public boolean tooLate(String identity, String runId) {
    FleetMember present = member;
    return present != null && present.tooLate(runId);
  }

  @Override
  public boolean isBeginning() {
    FleetMember present = member;
    return present != null && present.isBeginning();
  }

  /**
   * Makes this machine a new node.
   *
   * @return why it does not become one, null: it does
   */
  public @Nullable String adopt() {
    FleetMember present = member;
    if (present == null) {
      return "this machine is in no fleet";
    }
    if (!present.isOut()) {
      return "this node has its place in the fleet, so there is nothing to adopt; kron fleet status"
          + " says how it stands";
    }
    present.adopt();
    return null;
  }

  /**
   * The desk by which people look at the fleet and direct it; null: there is no fleet. From any
   * thread.
   */
  public @Nullable FleetDesk desk() {
    return member == null ? null : this;
  }

  @Override
  public FleetStanding standing() {
    FleetMember present = member;
    return present == null ? FleetStanding.notYet("") : present.door().standing();
  }

  @Override
  public <T> T read(Reading<T> reading) throws IOException {
    return door().ask(database -> reading.of(database.records()));
  }

  @Override
  public boolean request(FleetRequest request) throws IOException {
    FleetMember present = member;
    boolean done = door().ask(database -> database.request(request));
    if (present != null && !(request.what() instanceof FleetRequest.Trigger)) {
      present.report().look(present);
    }
    return done;
  }

  private FleetDoor door() throws IOException {
    FleetMember present = member;
    if (present == null) {
      throw new IOException("this machine is in no fleet");
    }
    return present.door();
  }

  public void close() {
    FleetMember present = member;
    if (present != null) {
      present.close();
    }
  }
}
