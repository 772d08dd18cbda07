package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Follows docs/spring-boot.md. */
@Timeout(180)
class SpringBootPageTest {
  private static final Path ROOT = Path.of(System.getProperty("kron.root", "../.."));
  private static final Path EXAMPLE = ROOT.resolve("examples/spring-boot");

  @TempDir private Path directory;
  private final List<Process> started = new java.util.ArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void endAll() throws InterruptedException {
    for (Process process : started) {
      process.destroyForcibly().waitFor();
    }
    client.close();
  }

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/spring-boot.md"));
  }

  @Test
  void theFilesOfThePageAreThoseOfTheExample() throws IOException {
    for (String file :
        List.of(
            "src/main/java/shop/ShopApplication.java",
            "src/main/resources/application.properties")) {
      Matcher block =
          Pattern.compile("`" + Pattern.quote(file) + "`:\n\n```\\w+\n(.*?)```", Pattern.DOTALL)
              .matcher(page());
      assertTrue(block.find(), file);
      assertEquals(Files.readString(EXAMPLE.resolve(file)), block.group(1), file);
    }
    assertEquals(
        artifacts(Files.readString(EXAMPLE.resolve("pom.xml"))).stream()
            .filter(artifact -> !artifact.contains("embedded") && !artifact.contains("$"))
            .toList(),
        artifacts(page()));
  }

  /** The dependencies that a POM asks for, those that it manages left out. */
  private static List<String> artifacts(String pom) {
    return Pattern.compile(
            "<dependency>\\s*<groupId>[^<]+</groupId>\\s*<artifactId>([^<]+)</artifactId>")
        .matcher(pom)
        .results()
        .map(dependency -> dependency.group(1))
        .filter(artifact -> !artifact.endsWith("-dependencies"))
        .toList();
  }

  @Test
  void twoInstancesShareATaskThatIsSeenAndDirected() throws Exception {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder()
            .setPGStartupWait(Duration.ofMinutes(1))
            .setServerConfig("fsync", "off")
            .start()) {
      String url = postgres.getJdbcUrl("postgres", "postgres");
      Process first = launch("first", url);
      Process second = launch("second", url);
      String a = await("first", first);
      String b = await("second", second);
      assertTrue(http(b + "/kron/report", null).contains("\"name\":\"report\""));
      assertTrue(http(b + "/health", null).contains("\"kron\":{\"details\""));
      // A run may be under way by its expression just now; it is over in a moment.
      awaitAnswer(a + "/kron/report", "run", "\"changed\":true");
      awaitAnswer(a + "/metrics/kron.task.runs", null, "kron.task.runs");
      awaitAnswer(b + "/kron/report", "pause", "\"changed\":true");
      awaitAnswer(a + "/kron/report", null, "\"pausedSince\":\"");
      first.destroyForcibly().waitFor();
      awaitAnswer(b + "/kron/report", "resume", "\"changed\":true");
      awaitAnswer(b + "/kron/report", "run", "\"changed\":true");
    }
  }

  private Process launch(String name, String url) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ShopApplication.class.getName(),
                "--server.port=0",
                "--spring.datasource.url=" + url)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(name).toFile())
            .start();
    started.add(process);
    return process;
  }

  /** The address of an instance's actuator, once it is up. */
  private String await(String name, Process process) throws IOException {
    Pattern up = Pattern.compile("Tomcat started on port (\\d+)[\\s\\S]*Started ShopApplication");
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (true) {
      String output = Files.readString(directory.resolve(name));
      Matcher matcher = up.matcher(output);
      if (matcher.find()) {
        return "http://localhost:" + matcher.group(1) + "/actuator";
      }
      assertTrue(process.isAlive() && System.nanoTime() < end, () -> name + ": " + output);
      LockSupport.parkNanos(50_000_000L);
    }
  }

  private void awaitAnswer(String url, @Nullable String action, String expected) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (true) {
      String answer = http(url, action);
      if (answer.contains(expected)) {
        return;
      }
      assertTrue(System.nanoTime() < end, () -> url + ": " + answer);
      LockSupport.parkNanos(100_000_000L);
    }
  }

  private String http(String url, @Nullable String action) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url)).header("Content-Type", "application/json");
    if (action != null) {
      request.POST(HttpRequest.BodyPublishers.ofString("{\"action\": \"" + action + "\"}"));
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
  }
}
