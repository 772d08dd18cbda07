package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.json.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The dashboard as a file. Whether its metrics exist is {@link MetricsTest}'s to say; this is about
 * the rest that Grafana would stumble over.
 */
class GrafanaTest {
  private static final Path FILE =
      Path.of(System.getProperty("kron.root", "..")).resolve("docs/grafana.json");

  @Test
  void everyPanelHasAPlaceOfItsOwnAndQueriesThatPrometheusUnderstands() throws Exception {
    Json dashboard = Json.parse(Files.readString(FILE));
    Set<String> ids = new HashSet<>();
    Set<String> places = new HashSet<>();
    for (Json panel : dashboard.list("panels")) {
      String title = panel.text("title");
      assertFalse(title.isBlank());
      assertTrue(ids.add(panel.get("id").toString()), title + " has the id of another");
      Json place = panel.get("gridPos");
      int right = number(place, "x") + number(place, "w");
      assertTrue(right <= 24, title + " is beyond the edge");
      for (int x = number(place, "x"); x < right; x++) {
        for (int y = number(place, "y"); y < number(place, "y") + number(place, "h"); y++) {
          assertTrue(places.add(x + "," + y), title + " lies over another");
        }
      }
      assertFalse(panel.list("targets").isEmpty(), title);
      for (Json target : panel.list("targets")) {
        String query = target.text("expr").replace("$__rate_interval", "5m");
        assertEquals(PromQl.Type.VECTOR, PromQl.typeOf(query), title + ": " + query);
        assertTrue(query.contains("instance=~\"$instance\""), query);
      }
    }
    assertTrue(ids.size() > 10, ids::toString);
  }

  private static int number(Json object, String name) {
    return (int) object.number(name);
  }
}
