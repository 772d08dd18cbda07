package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon knows without a search that nothing is left of a run, and when it has to search. */
class OrphanTest {

  @TempDir Path root;

  /** Runs one that hides a process, one that stays, and one that leaves nothing. */
  static final class Heir {
    private static final Set<String> ended = ConcurrentHashMap.newKeySet();

    private Heir() {}

    public static void main(String[] arguments) throws Exception {
      Path root = Path.of(arguments[0]);
      int self = (int) ProcessHandle.current().pid();
      try (LinuxProcesses processes =
          LinuxProcesses.open((run, keeper, status) -> ended.add(run.id()))) {
        Run hides = run(root, "hides");
        processes.launch(
            Workshop.shell(
                hides,
                "env -i setsid sh -c 'echo $$; exec sleep 300' & while [ ! -s %s ]; do sleep 0.02;"
                        .formatted(hides.stdout())
                    + " done"));
        Workshop.until("it has ended", () -> ended.contains("hides"));
        System.out.println("hidden: " + processes.releaseIfGone(hides));
        int hidden = Integer.parseInt(Workshop.text(hides.stdout()).strip());
        long ticks = ProcFiles.entry(hidden).orElseThrow().startTicks();
        processes.signal(new ProcessIdentity(hidden, ticks, processes.bootId()), Signal.KILL);
        Workshop.until("it is buried", () -> processes.releaseIfGone(hides));

        // The keepers of a thread that ends become the first thread's, as orphans do.
        Run stays = run(root, "stays");
        Thread thread =
            Thread.ofPlatform()
                .start(() -> Workshop.launched(processes, Workshop.shell(stays, "sleep 300")));
        thread.join();
        Workshop.until(
            "its keeper has moved", () -> !ProcFiles.children(self, self).orElseThrow().isEmpty());
        Run leaves = run(root, "leaves");
        processes.launch(Workshop.shell(leaves, "exit 1"));
        Workshop.until("it has ended", () -> ended.contains("leaves"));
        System.out.println("nothing: " + processes.releaseIfGone(leaves));
        Workshop.until(
            "it is signalled", () -> processes.signal(stays, Signal.KILL) == SignalDelivery.SENT);
        Workshop.until("it has ended", () -> ended.contains("stays"));
      }
    }

    private static Run run(Path root, String name) throws IOException {
      return new Run(name, Files.createDirectory(root.resolve(name)));
    }
  }

  private void tells(List<String> before) {
    try (Helper daemon = Helper.start(before, Heir.class, root.toString())) {
      assertTrue(daemon.says("hidden: false"), "a process without a trace is noticed");
      assertTrue(daemon.says("nothing: true"), "a run that goes on is not what another left");
    }
  }

  @Test
  void tellsWhetherAnythingIsLeftOfARun() {
    tells(List.of());
  }

  @Test
  void tellsSoAsTheFirstProcessOfAContainerToo() {
    assumeTrue(
        Workshop.command("unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "true"),
        "needs the right to make a PID namespace");
    tells(List.of("unshare", "--pid", "--fork", "--mount-proc", "--kill-child"));
  }

  @Test
  void whoTakesInNoOrphansCannotTell() {
    try (Workshop workshop = new Workshop(root)) {
      Run run = workshop.run();
      workshop.finish(Workshop.shell(run, "exit 0"));
      assertFalse(workshop.processes().releaseIfGone(run));
    }
  }
}
