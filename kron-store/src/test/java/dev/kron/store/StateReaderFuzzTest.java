package dev.kron.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.kron.job.JobState;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The reader is total: whatever the bytes, it reads them or says that it cannot. */
final class StateReaderFuzzTest {
  private static final long SEED = Long.getLong("kron.seed", 20261115L);
  private static final int ROUNDS = Integer.getInteger("kron.rounds", 40_000);
  private static final String[] PIECES = {
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "\\u12",
    "null",
    "true",
    "-",
    "0",
    "1e",
    ".5",
    " ",
    "\"Version\":\"1\"",
    "\"Identity\":",
    "\"History\":[",
    "\"ActiveExecution\":{",
    "\u0000",
    "é"
  };

  @Test
  void survivesAnyDamage() {
    byte[] valid =
        StateFileTest.write(
                Samples.withRuns(
                    Samples.state("/etc/krond.d/ä:b"),
                    Samples.run("01hzzzzzzz0000000000000001", Samples.NOMINAL),
                    Samples.run("01hzzzzzzz0000000000000002", Samples.NOMINAL + 60)),
                Samples.ended(1),
                Samples.skipped(2))
            .getBytes(UTF_8);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < ROUNDS; round++) {
      byte[] damaged = damage(valid, random);
      try {
        readAndWriteBack(damaged);
      } catch (RuntimeException | Error e) {
        throw new AssertionError(
            "round " + round + ", -Dkron.seed=" + SEED + ": " + new String(damaged, UTF_8), e);
      }
    }
  }

  /** Whatever it accepts, it can write and accept again, as the same. */
  private static void readAndWriteBack(byte[] bytes) {
    Kept kept = new Kept(bytes);
    JobState state;
    try {
      state = StateReader.read(bytes, bytes.length, kept);
    } catch (MalformedStateException | UnsupportedVersionException e) {
      return;
    }
    StateWriter file = StateWriter.write(new StateChange(state, List.of()), kept, 100);
    try {
      assertEquals(state, StateReader.read(file.bytes(), file.length(), null));
    } catch (MalformedStateException | UnsupportedVersionException e) {
      throw new AssertionError("wrote what it cannot read", e);
    }
  }

  static byte[] damage(byte[] valid, SplittableRandom random) {
    byte[] bytes = valid.clone();
    for (int i = random.nextInt(3); i >= 0; i--) {
      int at = random.nextInt(bytes.length);
      switch (random.nextInt(5)) {
        case 0 -> bytes[at] = (byte) random.nextInt(256);
        case 1 -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
        case 2 -> bytes = splice(bytes, at, PIECES[random.nextInt(PIECES.length)].getBytes(UTF_8));
        case 3 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
        default -> {
          int from = random.nextInt(bytes.length);
          int length = Math.min(random.nextInt(40), bytes.length - Math.max(from, at));
          System.arraycopy(bytes, from, bytes, at, Math.max(0, length));
        }
      }
    }
    return bytes;
  }

  private static byte[] splice(byte[] bytes, int at, byte[] piece) {
    byte[] result = Arrays.copyOf(bytes, bytes.length + piece.length);
    System.arraycopy(piece, 0, result, at, piece.length);
    System.arraycopy(bytes, at, result, at + piece.length, bytes.length - at);
    return result;
  }

  @Test
  void boundsTheDepthOfNesting() {
    byte[] deep = ("{\"X\":" + "[".repeat(1_000_000)).getBytes(UTF_8);
    assertThrows(MalformedStateException.class, () -> StateReader.read(deep, deep.length, null));
  }
}
