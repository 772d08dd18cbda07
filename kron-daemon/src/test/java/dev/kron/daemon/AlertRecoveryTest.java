package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.kron.job.HistoryEntry;
import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import dev.kron.store.DiskOverlay;
import dev.kron.store.LinuxDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a daemon does with the notes of alerts that an earlier one owed. */
final class AlertRecoveryTest {
  private static final String ID = "00000000000000000000000a1e";
  private static final String OTHER_ID = "00000000000000000000000a2e";

  @TempDir Path directory;

  /** The real disk, which cannot read notes of alerts so many times. */
  private static final class UnreadableNotes implements DiskOverlay {
    private final Disk disk = new LinuxDisk();
    private final AtomicInteger troubles = new AtomicInteger();

    @Override
    public Disk disk() {
      return disk;
    }

    @Override
    public int read(Path file, long offset, byte[] buffer) throws DiskException {
      if (Objects.toString(file.getFileName()).startsWith("alert-")
          && troubles.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new DiskException("read", file, DiskException.Reason.INPUT_OUTPUT);
      }
      return disk.read(file, offset, buffer);
    }
  }

  private final UnreadableNotes disk = new UnreadableNotes();

  private Path told() {
    return directory.resolve("told");
  }

  private List<String> tellings() throws IOException {
    return Files.exists(told()) ? Files.readAllLines(told()) : List.of();
  }

  /** A job failed, and nobody was told of it. */
  private TestDaemon failed() throws Exception {
    var daemon = new TestDaemon(directory, "2026-05-04T02:59:58Z").on(disk);
    daemon.write("0 3 * * * name=job command=/bin/false").start().pass(Duration.ofSeconds(3));
    daemon.awaitEntries("job", 1);
    daemon.stop();
    String tell = "/bin/sh -c 'echo $KRON_JOB $KRON_RUN_ID >>%s'".formatted(told());
    return daemon.write("0 3 * * * name=job command=/bin/false onfailure=\"" + tell + "\"");
  }

  private Path owe(TestDaemon daemon, String id, HistoryEntry failed, String boot)
      throws IOException {
    Path note = daemon.statePath().resolve("runs").resolve("alert-" + id);
    Files.writeString(
        note,
        "identity %s\nperiod %s\ncompleted_at_ms %s\nrun %s\nboot %s\n"
            .formatted(
                daemon.identity("job"),
                failed.nominal(),
                failed.completedAt(),
                failed.runId(),
                boot));
    return note;
  }

  private static String boot() throws IOException {
    return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
  }

  private void awaitTold(TestDaemon daemon, Path note, String telling) throws Exception {
    daemon.await("the alert", () -> tellings().contains(telling));
    daemon.await("nothing to be owed", () -> !Files.exists(note));
    assertEquals(List.of(telling), tellings());
    assertEquals(0, disk.troubles.get());
  }

  @Test
  void aNoteThatCannotBeReadIsReadAgainLaterAndToldOnce() throws Exception {
    try (var daemon = failed()) {
      HistoryEntry entry = daemon.history("job").getFirst();
      Path note = owe(daemon, ID, entry, boot());
      disk.troubles.set(2);
      daemon.onFailure("/bin/false").start(); // the job's own command goes before the daemon's
      awaitTold(daemon, note, "job " + entry.runId());
    }
  }

  @Test
  void aFailureOfAJobThatIsInNoFileAnyMoreIsToldByTheDaemonsOwnCommand() throws Exception {
    try (var daemon = failed()) {
      HistoryEntry entry = daemon.history("job").getFirst();
      Path note = owe(daemon, ID, entry, boot());
      daemon.onFailure("/bin/sh", "-c", "echo daemon $KRON_RUN_ID >>" + told());
      daemon.write("0 4 * * * name=other command=/bin/true").start();
      awaitTold(daemon, note, "daemon " + entry.runId());
    }
  }

  @Test
  void whatIsOfAnotherBootOrNeverBecameDurableIsNotTold() throws Exception {
    try (var daemon = failed()) {
      HistoryEntry entry = daemon.history("job").getFirst();
      Path earlier = owe(daemon, ID, entry, "another");
      Path never = owe(daemon, OTHER_ID, entry, boot());
      Files.writeString(never, Files.readString(never).replace(entry.completedAt() + "\n", "1\n"));
      daemon.start();
      daemon.await("both notes to be gone", () -> !Files.exists(earlier) && !Files.exists(never));
      daemon.stop();
      assertEquals(List.of(), tellings());
      assertFalse(daemon.log().contains("event=onfailure_started"), daemon.log());
    }
  }
}
