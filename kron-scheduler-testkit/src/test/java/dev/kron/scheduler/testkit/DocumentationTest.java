package dev.kron.scheduler.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The programs in docs/scheduler.md, pasted as they stand. */
@Timeout(120)
class DocumentationTest {
  @TempDir private Path directory;

  @Test
  void theQuickstartCompilesAndRuns() throws Exception {
    Process program = start("Quickstart");
    try (var lines = program.inputReader();
        OutputStream keyboard = program.getOutputStream()) {
      List<String> seen = new ArrayList<>();
      while (seen.stream().noneMatch(line -> line.startsWith("hello at "))) {
        seen.add(Objects.requireNonNull(lines.readLine(), () -> "it ended after " + seen));
      }
      keyboard.write('\n');
    }
    assertEquals(0, exitCode(program));
    assertTrue(Files.readString(directory.resolve("state/tasks.json")).contains("\"greet\""));
  }

  @Test
  void theServiceStopsAtASignal() throws Exception {
    Process program = start("Service");
    try (var lines = program.inputReader()) {
      List<String> seen = new ArrayList<>();
      while (!seen.contains("running")) {
        seen.add(Objects.requireNonNull(lines.readLine(), () -> "it ended after " + seen));
      }
      program.toHandle().destroy();
      while (!seen.contains("stopped, interrupted []")) {
        seen.add(Objects.requireNonNull(lines.readLine(), () -> "it ended after " + seen));
      }
    }
    exitCode(program);
  }

  @Test
  void theProgramWithTheTestKitCompilesAndRuns() throws Exception {
    Process program = start("ReportScheduleCheck");
    String output = new String(program.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, exitCode(program), output);
  }

  private static int exitCode(Process program) throws InterruptedException {
    boolean ended = program.waitFor(60, TimeUnit.SECONDS);
    program.destroyForcibly();
    assertTrue(ended, "it did not end");
    return program.exitValue();
  }

  private Process start(String className) throws IOException {
    Path source = directory.resolve(className + ".java");
    Files.writeString(source, program(className));
    JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler());
    String classPath = System.getProperty("java.class.path");
    int compiled =
        compiler.run(
            null, null, null, "-cp", classPath, "-d", directory.toString(), source.toString());
    assertEquals(0, compiled, className + " does not compile");
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            directory + System.getProperty("path.separator") + classPath,
            className)
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .start();
  }

  private static String program(String className) throws IOException {
    Path page = Path.of(System.getProperty("kron.root", ".."), "docs", "scheduler.md");
    Matcher blocks =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(Files.readString(page));
    while (blocks.find()) {
      if (blocks.group(1).contains("public class " + className + " ")) {
        return blocks.group(1);
      }
    }
    throw new AssertionError("no program " + className + " in " + page);
  }
}
