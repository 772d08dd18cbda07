package dev.kron.daemon;

import dev.kron.config.FleetFile;
import dev.kron.daemon.api.ControlServer.DaemonInfo;
import dev.kron.daemon.fleet.FleetInput;
import dev.kron.daemon.fleet.FleetRoom;
import dev.kron.daemon.jobs.RunTraces;
import dev.kron.daemon.loop.Answer;
import dev.kron.fleet.FleetDesk;
import dev.kron.fleet.FleetStanding;
import dev.kron.store.LineJournal;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The fleet that this machine is in, made when a {@code fleet.toml} is there for the first time.
 * Before that no class of it is loaded, so no lambda here may speak of one.
 */
final class InFleet {
  private final Foundation base;
  private final RunParts runs;
  private final JobParts jobs;
  private volatile @Nullable FleetRoom room;
  private @Nullable FleetFile present;

  InFleet(Foundation base, RunParts runs, JobParts jobs) {
    this.base = base;
    this.runs = runs;
    this.jobs = jobs;
  }

  private FleetRoom room() {
    String version =
        DaemonInfo.ofThisProcess(base.startedMillis, base.settings.state(), List.of()).version();
    var room =
        new FleetRoom(
            new FleetRoom.Means(
                base.time,
                base.errands,
                base.reports,
                base.directory,
                jobs.jobs,
                new RunTraces(base.directory.runs(), runs.processes, base.clocks),
                base.writability,
                input -> base.loop.post(new Input.OfFleet(input))),
            base.files,
            version);
    jobs.jobs.fleet(room);
    jobs.runs.latest(room.latest());
    return room;
  }

  /**
   * For the loop's thread, or before there is one.
   *
   * @param file what holds from now on, null: no fleet
   */
  void use(@Nullable FleetFile file) {
    FleetRoom made = room;
    present = file;
    if (made == null && file != null) {
      made = room();
      room = made;
    }
    if (made != null) {
      made.use(file);
    }
  }

  /** The place in a fleet that a daemon begins with, before there is a loop. */
  void begin(@Nullable FleetFile file) {
    if (file == null || file.settings() == null) {
      LineJournal journal = base.directory.fleet();
      try {
        if (!journal.read().isEmpty()) {
          FleetRoom.left(journal, jobs.jobs, base.clocks.wallMillis());
        }
      } catch (IOException e) {
        base.log.warn("fleet", "remark", "reason", "its journal cannot be read: " + e.getMessage());
      }
    }
    use(file);
  }

  /**
   * How this machine's place in a fleet changes, in words.
   *
   * @param file what the files say now, null: no fleet
   */
  List<String> changes(@Nullable FleetFile file) {
    FleetFile before = present;
    FleetFile.Settings was = before == null ? null : before.settings();
    FleetFile.Settings is = file == null ? null : file.settings();
    if (Objects.equals(was, is)) {
      return List.of();
    }
    if (is == null) {
      return List.of(
          "this machine leaves its fleet; what runs goes on, but runs with loss=rerun are ended, as"
              + " others run them again");
    }
    return List.of(
        was == null
            ? "this machine joins a fleet as node " + is.nodeName()
            : "this machine leaves its fleet and joins again as node " + is.nodeName());
  }

  /** Jobs have changed, the fleet is the same. */
  void again() {
    use(present);
  }

  void handle(FleetInput input) {
    FleetRoom present = room;
    if (present != null) {
      present.handle(input);
    }
  }

  /** Makes this machine a new node of its fleet. */
  Answer adopt() {
    FleetRoom present = room;
    String problem = present == null ? "this machine is in no fleet" : present.adopt();
    return problem == null
        ? new Answer.Done("this machine joins the fleet as a new node", null)
        : new Answer.Refused(problem);
  }

  /** The fleet, null: this machine is in none. From any thread. */
  @Nullable FleetDesk desk() {
    FleetRoom present = room;
    return present == null ? null : present.desk();
  }

  /** How this machine stands in its fleet, null: it is in none. */
  @Nullable FleetStanding standing() {
    FleetDesk present = desk();
    return present == null ? null : present.standing();
  }

  void close() {
    FleetRoom present = room;
    if (present != null) {
      present.close();
    }
  }
}
