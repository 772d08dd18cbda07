package dev.kron.examples.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program itself, run as a user would. */
@Timeout(120)
class ShopTest {
  @Test
  void opensWorksAndCloses(@TempDir Path directory) throws Exception {
    Process shop =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Shop.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try (var lines = shop.inputReader();
        OutputStream keyboard = shop.getOutputStream()) {
      assertEquals("the shop is open; press Enter to close it", lines.readLine());
      while (!Files.exists(directory.resolve("heartbeat"))) {
        assertTrue(shop.isAlive());
        Thread.onSpinWait();
      }
      keyboard.write('\n');
      keyboard.flush();
      String last = null;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        last = line;
      }
      assertEquals("the shop is closed", Objects.requireNonNull(last));
    }
    assertTrue(shop.waitFor(60, TimeUnit.SECONDS));
    assertTrue(Files.readString(directory.resolve("tasks.json")).contains("weekly-report"));
  }
}
