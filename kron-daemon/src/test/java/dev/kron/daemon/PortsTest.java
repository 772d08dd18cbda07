package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

class PortsTest {
  @Test
  void jobsGetTheLocaleOfWhoeverStartedTheDaemon() {
    assertEquals(
        Map.of("LC_ALL", "de_DE.UTF-8", "A", "b"),
        Ports.callers(Map.of("LC_ALL", "C.UTF-8", "KRON_CALLER_LC_ALL", "de_DE.UTF-8", "A", "b")));
    assertEquals(
        Map.of("LANG", "C"),
        Ports.callers(Map.of("LC_ALL", "C.UTF-8", "KRON_CALLER_LC_ALL", "", "LANG", "C")));
    assertEquals(Map.of("LC_ALL", "C"), Ports.callers(Map.of("LC_ALL", "C")));
  }
}
