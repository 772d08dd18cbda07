package dev.kron.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ZonesTest {
  @ParameterizedTest
  @CsvSource({"EST,-05:00", "MST,-07:00", "HST,-10:00", "ROC,+08:00", "GMT+0,Z", "GMT-0,Z"})
  void knowsNamesThatJavaLeavesOut(String name, String offset) {
    var zone = Zones.find(name);
    assertNotNull(zone);
    assertEquals(
        offset, zone.getRules().getOffset(Instant.EPOCH.plusSeconds(1_800_000_000)).getId());
  }

  @Test
  void takesNoOffsets() {
    assertNull(Zones.find("UTC+2"));
    assertNull(Zones.find("+02:00"));
  }

  /** Every name that this machine's own copy of the database has. */
  @Test
  void knowsEveryNameOfTheDatabase() throws IOException {
    Path names = Path.of("/usr/share/zoneinfo/tzdata.zi");
    assumeTrue(Files.exists(names), "no tz database on this machine");
    List<String> unknown = new ArrayList<>();
    for (String line : Files.readAllLines(names)) {
      String[] words = line.split(" ");
      String name = words[0].equals("Z") ? words[1] : words[0].equals("L") ? words[2] : "UTC";
      if (Zones.find(name) == null) {
        unknown.add(name);
      }
    }
    assertEquals(List.of(), unknown);
  }
}
