package dev.kron.scheduler.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What docs/scheduler-migration.md says is how it is written here. */
class MigrationPageTest {
  private static final Pattern BLOCK =
      Pattern.compile("```java\n(.*?public class (\\w+) .*?)```", Pattern.DOTALL);

  @Test
  void ourSideCompiles(@TempDir Path directory) throws IOException {
    Path page = Path.of(System.getProperty("kron.root", ".."), "docs", "scheduler-migration.md");
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString()));
    int others = arguments.size();
    Matcher programs = BLOCK.matcher(Files.readString(page));
    while (programs.find()) {
      Path source = directory.resolve(programs.group(2) + ".java");
      arguments.add(Files.writeString(source, programs.group(1)).toString());
    }
    assertEquals(4, arguments.size() - others, "programs on the page");
    ByteArrayOutputStream complaints = new ByteArrayOutputStream();
    int compiled =
        Objects.requireNonNull(ToolProvider.getSystemJavaCompiler())
            .run(null, null, complaints, arguments.toArray(String[]::new));
    assertEquals(0, compiled, () -> complaints.toString(StandardCharsets.UTF_8));
  }
}
