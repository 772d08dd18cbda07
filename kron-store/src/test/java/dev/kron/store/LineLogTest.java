package dev.kron.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kron.store.DiskException.Reason;
import dev.kron.store.FaultyDisk.Fault;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LineLogTest {
  @TempDir Path directory;

  private final FaultyDisk disk = new FaultyDisk(new LinuxDisk());

  private Path file() {
    return directory.resolve("log");
  }

  private LineLog log() {
    return new LineLog(disk, file(), 1 << 20);
  }

  private static AtomicFiles.Content text(String text) {
    byte[] bytes = text.getBytes(US_ASCII);
    return output -> output.write(bytes, 0, bytes.length);
  }

  private String read() throws Exception {
    return new String(log().read(), US_ASCII);
  }

  @Test
  void aLineWithoutItsEndDoesNotCountAndIsNotContinued() throws Exception {
    assertEquals("", read());
    Files.writeString(file(), "a\nb\ncut");
    assertEquals("a\nb\n", read());
    LineLog log = log();
    log.append(text("d\n"));
    log.append(text("e\n"));
    assertEquals("a\nb\nd\ne\n", Files.readString(file()));
    Files.writeString(file(), "cut");
    assertEquals("", read());
    log().append(text("f\n"));
    assertEquals("f\n", Files.readString(file()));
  }

  @Test
  void afterAFailedAppendTheWholeFileIsWrittenAnew() throws Exception {
    LineLog log = log();
    log.append(text("a\n"));
    disk.failing(Fault.of("sync", Reason.INPUT_OUTPUT));
    assertThrows(DiskException.class, () -> log.append(text("lost?\nhalf")));
    disk.healthy();
    Object before = Files.getAttribute(file(), "unix:ino");
    log.append(text("b\n"));
    assertEquals("a\nlost?\nb\n", Files.readString(file()));
    Object anew = Files.getAttribute(file(), "unix:ino");
    assertEquals(false, anew.equals(before));
    log.append(text("c\n"));
    assertEquals(anew, Files.getAttribute(file(), "unix:ino"));
  }

  @Test
  void aLongFileIsCopiedLineByLine() throws Exception {
    var lines = new StringBuilder();
    for (int i = 0; lines.length() < 300_000; i++) {
      lines.append("line ").append(i).append('\n');
    }
    Files.writeString(file(), lines + "cut");
    log().rewrite(text("first\n"), text("last\n"));
    assertEquals("first\n" + lines + "last\n", Files.readString(file()));
    log().replace(text("only\n"));
    assertEquals("only\n", read());
  }
}
