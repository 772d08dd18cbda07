package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WindowTest {
  @ParameterizedTest
  @CsvSource({
    "AFTER,  0,      0,     0",
    "AFTER,  3h,     0, 10800",
    "AFTER,  1999ms, 0,     1",
    "BEFORE, 3h, -10800,    0",
    "BEFORE, 1ms,   -1,     0",
    "BEFORE, 1001ms, -2,    0",
    "AROUND, 90m, -2700, 2700",
    "AROUND, 1s,    -1,     0",
    "AROUND, 1ns,    0,     0",
    "AROUND, 2ns,   -1,     0",
    "AROUND, 3s,    -2,     1",
    "AROUND, 3000000001ns, -2, 1"
  })
  void cutsBothEndsDownToWholeSeconds(Window.Mode mode, String duration, long start, long end) {
    Window window = new Window(mode, GoDuration.parseNanos(duration));
    assertEquals(start, window.startOffsetSeconds());
    assertEquals(end, window.endOffsetSeconds());
    assertEquals(end - start, window.seconds());
  }

  @Test
  void isNeverNegativeNorLongerThanALeapYear() {
    assertThrows(IllegalArgumentException.class, () -> new Window(Window.Mode.AFTER, -1));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Window(Window.Mode.AFTER, Window.LONGEST_NANOS + 1));
  }
}
