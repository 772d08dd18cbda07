package dev.kron.scheduler.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.RunContext;
import dev.kron.scheduler.TaskStoreException;
import dev.kron.scheduler.TaskView;
import dev.kron.scheduler.postgres.PostgresTaskStore;
import dev.kron.scheduler.testkit.SchedulerTestKit;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;

/** Real application contexts of the current Spring Boot. */
@Timeout(120)
class StarterTest {
  /** An application with a task of each kind. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Shop {
    final BlockingQueue<RunContext> runs = new LinkedBlockingQueue<>();
    final CountDownLatch release = new CountDownLatch(1);
    final CountDownLatch interrupted = new CountDownLatch(1);

    @KronTask(
        value = "${report.at:0 6 * * 1}",
        name = "report",
        zone = "Europe/Paris",
        retryLimit = "3",
        timeout = "10m",
        window = "5m")
    void report(RunContext run) {
      runs.add(run);
    }

    @KronTask("0 3 29 2 *")
    void slow() throws InterruptedException {
      try {
        release.await();
      } catch (InterruptedException asked) {
        interrupted.countDown();
        throw asked;
      }
    }

    @Bean
    Registration cleanup() {
      return new Registration("cleanup", "0 3 * * *", () -> {}, Duration.ofMinutes(5));
    }
  }

  /** The same on the test kit. */
  @Configuration(proxyBeanMethods = false)
  @AutoConfigureKronTestKit
  static class ShopOnTheKit extends Shop {}

  private static ConfigurableApplicationContext start(
      Class<?> application, WebApplicationType type, String... properties) {
    return new SpringApplicationBuilder(application)
        .web(type)
        .properties(
            "spring.application.name=shop",
            "spring.main.banner-mode=off",
            "logging.level.root=warn",
            "server.port=0",
            "management.endpoints.web.exposure.include=*",
            "management.endpoint.health.show-details=always")
        .properties(properties)
        .run();
  }

  private static final String WITHOUT_DATABASE =
      "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration";

  private static TaskView view(ConfigurableApplicationContext context, String task) {
    return context.getBean(DeclarativeScheduler.class).tasks().stream()
        .filter(view -> view.name().equals(task))
        .findFirst()
        .orElseThrow();
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "waited for 30 s");
      LockSupport.parkNanos(20_000_000L);
    }
  }

  private static String http(
      ConfigurableApplicationContext context, String path, @Nullable String body) throws Exception {
    String port = context.getEnvironment().getProperty("local.server.port");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator" + path))
            .header("Content-Type", "application/json");
    if (body != null) {
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    }
  }

  private static void assertVanishedStateIsUnhealthy(
      ConfigurableApplicationContext context, Path state) throws Exception {
    DeclarativeScheduler scheduler = context.getBean(DeclarativeScheduler.class);
    Gauge failing =
        context.getBean(MeterRegistry.class).get("kron.scheduler.store.failing").gauge();
    Path away = state.resolveSibling("away");
    Files.move(state, away);
    assertThrows(TaskStoreException.class, () -> scheduler.runNow("report"));
    await(() -> scheduler.storeFailure() != null);
    assertEquals(1, failing.value());
    String health = http(context, "/health", null);
    assertTrue(health.contains("\"store\":\"java.nio.file.NoSuchFileException"), health);
    assertTrue(health.contains("\"status\":\"DOWN\""), health);
    Files.move(away, state);
    await(() -> scheduler.storeFailure() == null);
    assertEquals(0, failing.value());
    assertTrue(http(context, "/health", null).contains("\"kron\":{\"details\""));
  }

  @Test
  void methodsAndBeansAreTasksThatOperatorsSeeAndDirect(@TempDir Path directory) throws Exception {
    Path state = directory.resolve("state");
    Path file = state.resolve("tasks.json");
    Shop shop;
    try (ConfigurableApplicationContext context =
        start(
            Shop.class,
            WebApplicationType.SERVLET,
            WITHOUT_DATABASE,
            "kron.scheduler.store=file",
            "kron.scheduler.file=" + file,
            "kron.scheduler.shutdown-timeout=1s",
            "report.at=30 7 * * 2")) {
      assertEquals("30 7 * * 2", view(context, "report").cronExpression());
      assertEquals(ZoneId.of("Europe/Paris"), view(context, "report").zone());
      assertEquals("0 3 * * *", view(context, "cleanup").cronExpression());
      assertTrue(http(context, "/kron", null).contains("\"scheduler\":\"shop\""));
      assertTrue(http(context, "/health", null).contains("\"kron\":{\"details\""));
      assertTrue(
          http(context, "/kron/report", "{\"action\":\"run\"}").contains("\"changed\":true"));
      shop = context.getBean(Shop.class);
      RunContext run = Objects.requireNonNull(shop.runs.poll(30, TimeUnit.SECONDS));
      assertEquals("shop", run.schedulerName());
      assertTrue(
          http(context, "/kron/cleanup", "{\"action\":\"pause\"}").contains("\"changed\":true"));
      assertNotNull(view(context, "cleanup").pausedSince());
      MeterRegistry meters = context.getBean(MeterRegistry.class);
      await(() -> meters.find("kron.task.runs").tags("task", "report").timer() != null);
      assertNotNull(meters.find("kron.task.next").tags("task", "report").gauge());
      await(() -> meters.find("kron.task").tags("task", "report").timer() != null);
      assertVanishedStateIsUnhealthy(context, state);
      assertTrue(context.getBean(DeclarativeScheduler.class).runNow("starterTest.Shop.slow"));
    }
    assertEquals(0, shop.interrupted.getCount(), "a shutdown waits, interrupts and waits");
    assertTrue(Files.readString(file).contains("\"report\""));
  }

  @Test
  void instancesOfAnApplicationShareTheirTasks() throws Exception {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().setServerConfig("fsync", "off").start()) {
      String[] properties = {
        "spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
        "kron.scheduler.zone=Europe/Paris",
        "kron.scheduler.postgres.lease=3s"
      };
      try (ConfigurableApplicationContext a =
              start(Shop.class, WebApplicationType.NONE, properties);
          ConfigurableApplicationContext b =
              start(Shop.class, WebApplicationType.NONE, properties)) {
        assertNotNull(a.getBean(PostgresTaskStore.class));
        String slow = "starterTest.Shop.slow";
        assertTrue(a.getBean(DeclarativeScheduler.class).runNow(slow));
        await(() -> view(b, slow).runningSince() != null);
        assertFalse(b.getBean(DeclarativeScheduler.class).runNow(slow));
        a.getBean(Shop.class).release.countDown();
        await(() -> view(b, slow).lastSuccessAt() != null);
      }
    }
  }

  @Test
  void aTestLetsTimePass() {
    try (ConfigurableApplicationContext context =
        start(
            ShopOnTheKit.class,
            WebApplicationType.NONE,
            WITHOUT_DATABASE,
            "kron.scheduler.zone=Europe/Paris",
            "kron.scheduler.test.start=2026-03-01T00:00:00Z",
            "spring.main.lazy-initialization=true")) {
      SchedulerTestKit kit = context.getBean(SchedulerTestKit.class);
      assertEquals("shop", context.getBean(DeclarativeScheduler.class).name());
      kit.advance(Duration.ofDays(14));
      assertEquals(14, kit.starts("cleanup").size());
      assertEquals(2, kit.starts("report").size());
      assertEquals(Instant.parse("2026-03-01T02:00:00Z"), kit.starts("cleanup").getFirst());
    }
  }

  /** A task that cannot be one. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Mistaken {
    @KronTask(value = "0 3 * * *", retryDelay = "soon")
    void task() {}
  }

  /** An expression that is not POSIX. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Quartz {
    @KronTask("*/5 * * * *")
    void often() {}
  }

  /** A bean with a task. */
  static class Copy {
    @KronTask(value = "0 3 * * *", name = "copy")
    void task() {}
  }

  /** As many tasks of one name as there are users of the bean. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Copies {
    @Bean
    @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
    Copy copy() {
      return new Copy();
    }

    @Bean
    String user(Copy copy) {
      return copy.toString();
    }
  }

  private static void assertRefused(Class<?> application, String named, String... properties) {
    var refused =
        assertThrows(
            Exception.class, () -> start(application, WebApplicationType.NONE, properties).close());
    StringBuilder all = new StringBuilder();
    for (Throwable cause = refused; cause != null; cause = cause.getCause()) {
      all.append(cause.getMessage()).append('\n');
    }
    assertTrue(all.toString().contains(named), all::toString);
  }

  @Test
  void mistakesAreNamedWithTheirPlace() {
    assertRefused(
        Quartz.class, "Quartz.often() cannot be understood: Invalid cron", WITHOUT_DATABASE);
    assertRefused(Copies.class, "Copy.task() cannot be understood: ", WITHOUT_DATABASE);
    assertRefused(Shop.class, "it's", WITHOUT_DATABASE, "kron.scheduler.store=it's");
  }

  @Test
  void aChildContextHasASchedulerOfItsOwn() {
    try (ConfigurableApplicationContext parent =
            start(Shop.class, WebApplicationType.NONE, WITHOUT_DATABASE);
        ConfigurableApplicationContext child =
            new SpringApplicationBuilder(Shop.class)
                .parent(parent)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", WITHOUT_DATABASE)
                .run()) {
      assertNotSame(
          parent.getBean(DeclarativeScheduler.class), child.getBean(DeclarativeScheduler.class));
      assertEquals(3, child.getBean(DeclarativeScheduler.class).tasks().size());
    }
  }

  @Test
  void mistakesAreNamedWhenTheApplicationStarts() {
    var wrong =
        assertThrows(
            Exception.class,
            () -> start(Mistaken.class, WebApplicationType.NONE, WITHOUT_DATABASE).close());
    assertTrue(String.valueOf(wrong.getMessage()).contains("'soon'"), wrong.getMessage());
    var missing =
        assertThrows(
            Exception.class,
            () ->
                start(
                        Shop.class,
                        WebApplicationType.NONE,
                        WITHOUT_DATABASE,
                        "kron.scheduler.store=postgres")
                    .close());
    assertTrue(
        String.valueOf(missing.getMessage()).contains("kron-scheduler-postgres"),
        missing.getMessage());
  }

  @Test
  void nothingIsScheduledWhereThatIsNotWanted() {
    try (ConfigurableApplicationContext context =
        start(
            Shop.class,
            WebApplicationType.NONE,
            WITHOUT_DATABASE,
            "kron.scheduler.enabled=false")) {
      assertTrue(context.getBeansOfType(DeclarativeScheduler.class).isEmpty());
    }
  }
}
