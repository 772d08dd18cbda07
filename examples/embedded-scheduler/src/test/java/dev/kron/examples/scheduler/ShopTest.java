package dev.kron.examples.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kron.scheduler.DeclarativeScheduler;
import java.io.File;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program itself, run as a user would. */
@Timeout(120)
class ShopTest {
  @Test
  void opensWorksAndCloses(@TempDir Path directory) throws Exception {
    assertOpensWorksAndCloses(List.of("-cp", System.getProperty("java.class.path")), directory);
  }

  /** The library as modules, as programs have it that are modules; packed jars have descriptors. */
  @Test
  void opensWorksAndClosesOnTheModulePath(@TempDir Path directory) throws Exception {
    String classPath = System.getProperty("java.class.path");
    Path library = Path.of(location(DeclarativeScheduler.class));
    assumeTrue(Files.isRegularFile(library), "the library is not packed");
    List<String> jars =
        Stream.of(classPath.split(File.pathSeparator)).filter(at -> at.endsWith(".jar")).toList();
    assertOpensWorksAndCloses(
        List.of(
            "--module-path",
            String.join(File.pathSeparator, jars),
            "--add-modules",
            "dev.kron.scheduler",
            "-cp",
            location(Shop.class)),
        directory);
  }

  private static String location(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  private static void assertOpensWorksAndCloses(List<String> paths, Path directory)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(paths);
    command.addAll(List.of(Shop.class.getName(), directory.toString()));
    Process shop =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
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
