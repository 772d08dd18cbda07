package dev.kron.scheduler.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.RunContext;
import dev.kron.scheduler.SchedulerNotActiveException;
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
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;

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

    @KronTask(
        value = "0 3 29 2 *",
        timeout = "${slow.timeout:}",
        window = "${slow.window:}",
        retryDelay = "${slow.retry-delay:}")
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
    return answer(context, path, body).body();
  }

  private static HttpResponse<String> answer(
      ConfigurableApplicationContext context, String path, @Nullable String body) throws Exception {
    String port = context.getEnvironment().getProperty("local.server.port");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator" + path))
            .header("Content-Type", "application/json");
    if (body != null) {
      request.POST(HttpRequest.BodyPublishers.ofString(body));
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
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

  private static void assertOperatorsCanReadIt(String view) {
    for (String member :
        List.of(
            "\"name\":\"report\"",
            "\"cronExpression\":\"30 7 * * 2\"",
            "\"zone\":\"Europe/Paris\"",
            "\"next\":\"20",
            "\"lastAttemptAt\":null",
            "\"attempt\":0")) {
      assertTrue(view.contains(member), member + " in " + view);
    }
  }

  @Test
  void methodsAndBeansAreTasksThatOperatorsSeeAndDirect(@TempDir Path directory) throws Exception {
    Path state = directory.resolve("state");
    Path file = state.resolve("tasks.json");
    ListAppender<ILoggingEvent> log = new ListAppender<>();
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
      assertOperatorsCanReadIt(http(context, "/kron/report", null));
      assertEquals("", http(context, "/kron/nothing", null));
      assertTrue(http(context, "/kron/report", "{\"action\":\"burn\"}").contains("\"status\":400"));
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
      log.start();
      ((Logger) LoggerFactory.getLogger(KronSchedulerLifecycle.class)).addAppender(log);
    }
    assertEquals(0, shop.interrupted.getCount(), "a shutdown waits, interrupts and waits");
    assertTrue(
        log.list.getFirst().getFormattedMessage().contains("[starterTest.Shop.slow]"),
        () -> log.list.toString());
    assertTrue(Files.readString(file).contains("\"report\""));
  }

  @Test
  void instancesOfAnApplicationShareTheirTasks() throws Exception {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder()
            .setPGStartupWait(Duration.ofMinutes(1))
            .setServerConfig("fsync", "off")
            .start()) {
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

  /** A method that says nonsense in the last of its attributes. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Unlimited {
    @KronTask(value = "0 3 * * *", retryLimit = "many")
    void task() {}
  }

  @Test
  void propertiesThatCannotBeAreNamed() {
    String[][] wrong = {
      {"kron.scheduler.postgres.lease", "100ms", "A lease lasts from 0.5 s"},
      {"kron.scheduler.postgres.grace", "-1s", "A grace lasts from nothing"},
      {"kron.scheduler.postgres.schema", "my-schema", "A schema's name is small letters"},
      {"kron.scheduler.shutdown-timeout", "-1s", "must not be negative"},
    };
    for (String[] property : wrong) {
      String set = property[0] + "=" + property[1];
      String nobody = "spring.datasource.url=jdbc:postgresql://localhost:1/nobody";
      assertRefused(Shop.class, "Property " + property[0] + " with value '", set, nobody);
      assertRefused(Shop.class, property[2], set, nobody);
    }
    assertRefused(
        ShopOnTheKit.class,
        "must be an instant such as 2026-01-01T00:00:00Z",
        WITHOUT_DATABASE,
        "kron.scheduler.test.start=yesterday");
  }

  /** An application that fails when everything in it has started. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class FailsLate extends Shop {
    static final AtomicReference<DeclarativeScheduler> STARTED = new AtomicReference<>();

    @EventListener
    void fail(ContextRefreshedEvent event) {
      STARTED.set(event.getApplicationContext().getBean(DeclarativeScheduler.class));
      throw new IllegalStateException("too late");
    }
  }

  @Test
  void anApplicationThatFailsLateLeavesNoSchedulerBehind() {
    assertRefused(FailsLate.class, "too late", WITHOUT_DATABASE);
    assertThrows(
        SchedulerNotActiveException.class, () -> FailsLate.STARTED.get().runNow("cleanup"));
  }

  @Test
  void aContextThatIsStoppedAndStartedAgainGoesOn(@TempDir Path directory) {
    try (ConfigurableApplicationContext context =
        start(
            Shop.class,
            WebApplicationType.NONE,
            WITHOUT_DATABASE,
            "kron.scheduler.store=file",
            "kron.scheduler.file=" + directory.resolve("tasks.json"))) {
      DeclarativeScheduler scheduler = context.getBean(DeclarativeScheduler.class);
      assertTrue(scheduler.pause("cleanup"));
      for (int restart = 0; restart < 3; restart++) {
        context.stop();
        assertThrows(SchedulerNotActiveException.class, () -> scheduler.runNow("cleanup"));
        context.start();
        assertEquals(3, scheduler.tasks().size());
        assertNotNull(view(context, "cleanup").pausedSince());
      }
    }
  }

  @Test
  void mistakesAreNamedWithTheirPlace() {
    assertRefused(
        Unlimited.class,
        "Unlimited.task() cannot be understood: retryLimit is \"many\"",
        WITHOUT_DATABASE);
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
