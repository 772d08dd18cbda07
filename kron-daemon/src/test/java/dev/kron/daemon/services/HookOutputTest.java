package dev.kron.daemon.services;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.kron.daemon.HandClocks;
import dev.kron.service.InstanceId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of hooks in the log of their service. */
final class HookOutputTest {
  private static final InstanceId WEB = new InstanceId("web", 0);

  @TempDir Path directory;

  private HookOutput output(boolean silent) {
    return new HookOutput(
        id -> directory.resolve(id + ".log"), new HandClocks("2026-03-01T00:00:00Z"), silent);
  }

  @Test
  void hasLinesOfItsOwnWhateverTheServiceWroteLast() throws Exception {
    Path log = directory.resolve("web@0.log");
    String said = "[krond: before_start begins]\n";
    var tables =
        Map.of(
            "", said, //
            "a\n", "a\n" + said,
            "a\n\n", "a\n\n" + said,
            "a", "a\n" + said,
            "a\t", "a\t\n" + said,
            "a\u000b", "a\u000b\n" + said,
            "a\0", "a\0" + said, // a hole: where a log was freed
            "a\u0001", "a\u0001\n" + said);
    for (Map.Entry<String, String> each : tables.entrySet()) {
      Files.writeString(log, each.getKey());
      output(false).begins(WEB, "before_start");
      assertEquals(each.getValue(), Files.readString(log));
    }
    Files.delete(log);
    output(true).begins(WEB, "before_start");
    assertFalse(Files.exists(log));
    output(false).ended(WEB, "before_start", "exit code 0");
    assertEquals("[krond: before_start has ended: exit code 0]\n", Files.readString(log));
  }
}
