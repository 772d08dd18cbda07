package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileSpaceTest {
  @TempDir Path temporary;

  private static byte[] numbered(int blocks, int blockBytes) {
    byte[] bytes = new byte[blocks * blockBytes];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) ('a' + i / blockBytes);
    }
    return bytes;
  }

  private static long allocatedBytes(Path file) throws IOException, InterruptedException {
    Process stat = new ProcessBuilder("stat", "-c", "%b", file.toString()).start();
    long blocks = Long.parseLong(new String(stat.getInputStream().readAllBytes(), UTF_8).strip());
    stat.waitFor();
    return blocks * 512;
  }

  @Test
  void knowsWhetherSomebodyCanWrite() throws Exception {
    Path file = Files.writeString(temporary.resolve("log"), "one");
    assertFalse(FileSpace.isBeingWritten(file));
    try (FileChannel reader = FileChannel.open(file, StandardOpenOption.READ)) {
      assertFalse(FileSpace.isBeingWritten(file), "who reads changes nothing: " + reader.size());
    }
    try (FileChannel writer = FileChannel.open(file, StandardOpenOption.APPEND)) {
      assertTrue(FileSpace.isBeingWritten(file));
      writer.write(ByteBuffer.wrap("two".getBytes(UTF_8)));
    }
    assertFalse(FileSpace.isBeingWritten(file));
    assertFalse(FileSpace.isBeingWritten(temporary.resolve("none")));
  }

  @Test
  void whoOpensAFileWhileItIsLookedAtEndsNobody() throws Exception {
    Path file = Files.writeString(temporary.resolve("log"), "one");
    var opener =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; i < 2_000; i++) {
                    try (var writer = FileChannel.open(file, StandardOpenOption.APPEND)) {
                      writer.size();
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  }
                });
    while (opener.isAlive()) {
      FileSpace.isBeingWritten(file); // its lease is broken many times
    }
    opener.join();
    assertFalse(FileSpace.isBeingWritten(file));
  }

  @Test
  void freesAPartFromUnderAWriter() throws Exception {
    Path file = temporary.resolve("log");
    Files.write(file, numbered(8, 65_536));
    try (FileChannel writer = FileChannel.open(file, StandardOpenOption.APPEND);
        FileSpace space = FileSpace.open(file)) {
      writer.force(true); // before that no room is taken
      long before = allocatedBytes(file);
      assumeTrue(space.punchHole(0, 4 * 65_536), "this file system cannot free a part");
      assertTrue(space.punchHole(0, 4 * 65_536), "a second time as well");
      writer.write(ByteBuffer.wrap("end".getBytes(UTF_8)));
      byte[] content = Files.readAllBytes(file);
      assertEquals(8 * 65_536 + 3, content.length, "offsets stay");
      assertEquals(0, content[4 * 65_536 - 1]);
      assertEquals('e', content[4 * 65_536]);
      writer.force(true);
      assertTrue(allocatedBytes(file) < before - 3 * 65_536);
      assertEquals(4L * 65_536, space.dataFrom(0));
    }
  }

  @Test
  void takesOutAPartFromUnderAWriter() throws Exception {
    Path file = temporary.resolve("log");
    try (FileChannel writer =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      try (FileSpace space = FileSpace.open(file)) {
        int block = (int) space.blockBytes();
        writer.write(ByteBuffer.wrap(numbered(4, block)));
        assumeTrue(space.collapse(0, 3L * block), "this file system cannot take out a part");
        writer.write(ByteBuffer.wrap("end".getBytes(UTF_8)));
        byte[] content = Files.readAllBytes(file);
        assertEquals(block + 3, content.length);
        assertEquals('d', content[0]);
        assertArrayEquals(
            "end".getBytes(UTF_8), java.util.Arrays.copyOfRange(content, block, block + 3));
        assertEquals(0L, space.dataFrom(0));
      }
    }
  }

  @Test
  void followsNoLinkAndSaysWhatIsMissing() throws Exception {
    Path file = Files.createFile(temporary.resolve("log"));
    Path link = Files.createSymbolicLink(temporary.resolve("link"), file);
    assertThrows(IOException.class, () -> FileSpace.open(link));
    assertThrows(NoSuchFileException.class, () -> FileSpace.open(temporary.resolve("none")));
  }
}
