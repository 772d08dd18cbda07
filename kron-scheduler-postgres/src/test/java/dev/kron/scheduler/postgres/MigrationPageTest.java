package dev.kron.scheduler.postgres;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What docs/scheduler-migration.md says is how it is written here. */
class MigrationPageTest {
  private static final Pattern BLOCK =
      Pattern.compile("```java\n(.*?public class (\\w+) .*?)```", Pattern.DOTALL);

  static Stream<MatchResult> programs() throws IOException {
    Path page = Path.of(System.getProperty("kron.root", ".."), "docs", "scheduler-migration.md");
    return BLOCK.matcher(Files.readString(page)).results();
  }

  @ParameterizedTest
  @MethodSource("programs")
  void ourSideCompiles(MatchResult program, @TempDir Path directory) throws IOException {
    Path source = directory.resolve(program.group(2) + ".java");
    Files.writeString(source, program.group(1));
    int compiled =
        Objects.requireNonNull(ToolProvider.getSystemJavaCompiler())
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString(),
                source.toString());
    assertEquals(0, compiled, program.group(2));
  }
}
