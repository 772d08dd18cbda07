package dev.kron.cli.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.cli.output.Output.Look;
import org.junit.jupiter.api.Test;

class TerminalTest {
  @Test
  void showsEverythingOnAModernTerminal() {
    assertEquals(
        new Look(120, true, true), Terminal.look("120", "de_DE.UTF-8", "xterm-256color", null));
    assertEquals(new Look(120, true, true), Terminal.look("120", "C.utf8", "xterm", ""));
  }

  @Test
  void keepsToAsciiUnlessTheLocaleSaysOtherwise() {
    assertEquals(new Look(80, false, true), Terminal.look("80", null, "xterm", null));
    assertEquals(new Look(80, false, true), Terminal.look("80", "C", "xterm", null));
    assertEquals(new Look(80, false, true), Terminal.look("80", "de_DE.ISO-8859-1", "xterm", null));
  }

  @Test
  void leavesColoursOutWhereTheyAreNotWanted() {
    assertEquals(new Look(80, true, false), Terminal.look("80", "C.UTF-8", "xterm", "1"));
    assertEquals(new Look(80, true, false), Terminal.look("80", "C.UTF-8", "dumb", null));
    assertEquals(new Look(80, true, false), Terminal.look("80", "C.UTF-8", null, null));
  }

  @Test
  void staysWithinBearableWidths() {
    assertEquals(40, Terminal.look("5", "C.UTF-8", "xterm", null).width());
    assertEquals(200, Terminal.look("5000", "C.UTF-8", "xterm", null).width());
    assertEquals(80, Terminal.look("wide", "C.UTF-8", "xterm", null).width());
  }

  @Test
  void looksTheSameEverywhereUnlessItIsATerminal() {
    assertEquals(Look.PLAIN, Terminal.look("kron.terminal.not-set"));
  }
}
