package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keepers that wait have no descriptor by which their end is told before they are let begin. */
class WaitingKeepersTest {
  @TempDir Path directory;

  private final Map<String, RunStatus> ends = new ConcurrentHashMap<>();

  /** As a daemon has them: it buries all its children. */
  private final LinuxProcesses processes =
      new LinuxProcesses(
          (run, keeper, status) -> ends.put(run.id(), status),
          new Inspection(new SystemUsers(), path -> {}, () -> Workshop.PATIENCE),
          new Keeper("/bin/sh", ProcFiles.bootId(), OptionalLong.empty()),
          true);

  @AfterEach
  void close() {
    processes.close();
  }

  private Run run(String id) throws IOException {
    return new Run(id, Files.createDirectory(directory.resolve(id)));
  }

  private void untilAllAreBuried() {
    Workshop.until("all are buried", () -> processes.watched() == 0);
  }

  @Test
  void whoIsLetBeginIsHeardOfWhenItEnds() throws IOException {
    Run run = run("begins");
    Prepared prepared = processes.prepare(Workshop.shell(run, "exit 7"));
    assertInstanceOf(LaunchResult.Launched.class, prepared.start());
    Workshop.until("it has ended", () -> ends.containsKey("begins"));
    assertEquals(new RunStatus.Ended(7, null), ends.get("begins"));
    untilAllAreBuried();
  }

  @Test
  void whoIsSentAwayIsBuriedAndNotHeardOf() throws IOException {
    Run run = run("leaves");
    processes.prepare(Workshop.shell(run, "exit 7")).discard();
    untilAllAreBuried();
    assertEquals(Map.of(), ends);
    assertInstanceOf(RunStatus.Unclaimed.class, processes.status(run));
  }

  @Test
  void whoIsKilledWhileItWaitsIsReplaced() throws IOException {
    Run run = run("killed");
    Prepared prepared = processes.prepare(Workshop.shell(run, "exit 7"));
    ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
    untilAllAreBuried();
    assertEquals(Map.of(), ends);
    assertInstanceOf(LaunchResult.Launched.class, prepared.start());
    Workshop.until("it has ended", () -> ends.containsKey("killed"));
    assertEquals(new RunStatus.Ended(7, null), ends.get("killed"));
  }

  @Test
  void whoDiesAsItIsLetBeginIsHeardOf() throws IOException {
    Run run = run("dies");
    Prepared prepared = processes.prepare(Workshop.shell(run, "exit 7"));
    ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
    LaunchResult result = prepared.start();
    assertInstanceOf(LaunchResult.Launched.class, result);
    Workshop.until("its end is told", () -> ends.containsKey("dies"));
    // Whether its gate had heard of it, or another keeper was started, decides which of the two.
    assertFalse(ends.get("dies") instanceof RunStatus.Running, () -> "" + ends);
    untilAllAreBuried();
  }

  @Test
  void thereIsRoomForSomeAndNotForAnyNumber() {
    int room = Headroom.more(0);
    assertTrue(room > 0 && room < 10_000_000, "room for " + room);
    assertTrue(Headroom.more(room) <= room);
    assertEquals(0, Headroom.more(Integer.MAX_VALUE));
  }
}
