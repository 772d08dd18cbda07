package dev.kron.daemon;

import dev.kron.config.FleetFile;
import dev.kron.daemon.api.ControlServer.DaemonInfo;
import dev.kron.daemon.fleet.FleetInput;
import dev.kron.daemon.fleet.FleetRoom;
import dev.kron.daemon.loop.Answer;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The fleet that this machine is in, made when a {@code fleet.toml} is there for the first time.
 */
final class InFleet {
  private final Supplier<FleetRoom> making;
  private volatile @Nullable FleetRoom room;
  private @Nullable FleetFile present;

  private InFleet(Supplier<FleetRoom> making) {
    this.making = making;
  }

  static InFleet of(Foundation base, JobParts jobs) {
    return new InFleet(() -> room(base, jobs));
  }

  private static FleetRoom room(Foundation base, JobParts jobs) {
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
      made = making.get();
      room = made;
    }
    if (made != null) {
      made.use(file);
    }
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
    return present != null && present.adopt()
        ? new Answer.Done("this machine joins as a new node", null)
        : new Answer.Refused("this machine is in no fleet");
  }

  void close() {
    FleetRoom present = room;
    if (present != null) {
      present.close();
    }
  }
}
