package dev.kron.scheduler.testkit;

import static dev.kron.scheduler.testkit.Tasks.NOTHING;
import static dev.kron.scheduler.testkit.Tasks.kitAt;
import static dev.kron.scheduler.testkit.Tasks.names;
import static dev.kron.scheduler.testkit.Tasks.task;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.scheduler.CronExpressionInvalidException;
import dev.kron.scheduler.FieldParseException;
import dev.kron.scheduler.InvalidCronExpressionException;
import dev.kron.scheduler.InvalidRegistrationException;
import dev.kron.scheduler.NegativeRetryDelayException;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.RegistrationShapeException;
import dev.kron.scheduler.RegistrationsNotArrayException;
import dev.kron.scheduler.ScheduleDuplicateTaskException;
import dev.kron.scheduler.SchedulerAlreadyActiveException;
import dev.kron.scheduler.SchedulerException;
import dev.kron.scheduler.SchedulerFailureException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every error of the contract that a caller of {@code initialize} can see, word for word. */
@NullUnmarked // what is tested here is what happens to null
class ErrorModelTest {
  private final SchedulerTestKit kit = kitAt("2026-03-01T10:00:30Z");

  private <E extends SchedulerException> E rejected(Class<E> type, List<Registration> list) {
    E error = assertThrows(type, () -> kit.initialize(list));
    assertEquals(
        List.of("SchedulerInitializationStarted", "SchedulerInitializationFailed"), names(kit));
    assertTrue(kit.state("a").isEmpty(), "something was scheduled before the error");
    return error;
  }

  @Test
  void registrationsNotArray() {
    var error = rejected(RegistrationsNotArrayException.class, null);
    assertEquals("Registrations must be an array", error.getMessage());
  }

  @Test
  void registrationShapeOfANullElement() {
    var error =
        rejected(RegistrationShapeException.class, Arrays.asList(task("a", "0 * * * *"), null));
    assertEquals(
        "Invalid registration shape: expected [string, string, function, Duration]",
        error.getMessage());
    assertEquals(1, error.registrationIndex());
    assertNull(error.received());
  }

  @Test
  void registrationShapeOfANullComponent() {
    for (var broken :
        List.of(
            new Registration(null, "0 * * * *", NOTHING, Duration.ZERO),
            new Registration("a", null, NOTHING, Duration.ZERO),
            new Registration("a", "0 * * * *", null, Duration.ZERO),
            new Registration("a", "0 * * * *", NOTHING, null))) {
      kit.clearEvents();
      var error = rejected(RegistrationShapeException.class, List.of(broken));
      assertEquals(
          "Invalid registration shape: expected [string, string, function, Duration]",
          error.getMessage());
      assertEquals(0, error.registrationIndex());
      assertSame(broken, error.received());
    }
  }

  @Test
  void invalidRegistration() {
    var error =
        rejected(
            InvalidRegistrationException.class,
            List.of(task("a", "0 * * * *"), task("", "0 * * * *")));
    assertEquals("name", error.field());
    assertEquals("", error.value());
    assertEquals("must not be empty", error.reason());
    assertEquals(
        "Invalid registration at index 1: name \"\" must not be empty", error.getMessage());
  }

  @Test
  void scheduleDuplicateTask() {
    var error =
        rejected(
            ScheduleDuplicateTaskException.class,
            List.of(task("a", "0 * * * *"), task("a", "5 * * * *")));
    assertEquals("Task with name \"a\" is already scheduled", error.getMessage());
    assertEquals("a", error.taskName());
  }

  @Test
  void schedulerAlreadyActive() {
    kit.initialize(List.of());
    var error =
        assertThrows(SchedulerAlreadyActiveException.class, () -> kit.initialize(List.of()));
    assertEquals("Cannot initialize scheduler: scheduler is already running", error.getMessage());
    assertEquals("running", error.currentState());
  }

  @Test
  void cronExpressionInvalid() {
    var error = rejected(CronExpressionInvalidException.class, List.of(task("a", "0 24 * * *")));
    assertEquals("0 24 * * *", error.expression());
    assertEquals("hour", error.field());
    assertEquals(
        "Invalid cron expression \"0 24 * * *\": hour field " + error.reason(), error.getMessage());
    var cause = assertInstanceOf(InvalidCronExpressionException.class, error.getCause());
    assertEquals(error.getMessage(), cause.getMessage());
    assertEquals(
        List.of(error.expression(), error.field(), error.reason()),
        List.of(cause.expression(), cause.field(), cause.reason()));
    var field = assertInstanceOf(FieldParseException.class, cause.getCause());
    assertEquals("24", field.fieldValue());
    assertEquals("hour", field.fieldName());
    assertInstanceOf(dev.kron.cron.FieldParseException.class, field.getCause());
    assertEquals(String.valueOf(field.getCause().getMessage()), field.getMessage());
  }

  @Test
  void aListThatCannotBeLookedAtIsASchedulersErrorToo() {
    var planned = new IllegalStateException("as planned");
    var error =
        rejected(
            SchedulerFailureException.class,
            new java.util.AbstractList<>() {
              @Override
              public Registration get(int index) {
                throw planned;
              }

              @Override
              public int size() {
                return 1;
              }
            });
    assertSame(planned, error.getCause());
  }

  @Test
  void negativeRetryDelay() {
    var error =
        rejected(
            NegativeRetryDelayException.class,
            List.of(new Registration("a", "0 * * * *", NOTHING, Duration.ofMillis(-1500))));
    assertEquals("Retry delay must be non-negative", error.getMessage());
    assertEquals(-1500, error.retryDelayMs());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "* * * *             | expression",
        "* * * * * *         | expression",
        "@daily              | expression",
        "*/15 * * * *        | minute",
        "0 0-12/2 * * *      | hour",
        "0 0 * jan *         | month",
        "0 0 * * mon         | weekday",
        "0 0 * * sunday      | weekday",
        "0 0 ? * *           | day",
        "0 0 L * *           | day",
        "0 0 15W * *         | day",
        "0 0 * * 5#3         | weekday",
        "0 0 * * 7           | weekday",
        "0 22-6 * * *        | hour",
        "60 * * * *          | minute",
        "* 24 * * *          | hour",
        "* * 0 * *           | day",
        "* * 32 * *          | day",
        "* * * 13 *          | month",
        "1e1 * * * *         | minute",
        "0x10 * * * *        | minute",
        "+5 * * * *          | minute",
        "-5 * * * *          | minute",
        "1,,2 * * * *        | minute",
        "0 0 30 2 *          | day",
      })
  void rejectsWhatIsNotPosix(String expression, String field) {
    var error = rejected(CronExpressionInvalidException.class, List.of(task("a", expression)));
    assertEquals(field, error.field());
    assertEquals(
        "Invalid cron expression \"" + expression + "\": " + field + " field " + error.reason(),
        error.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0 0 * * *",
        "15 3 * * 1-5",
        "0,30 * * * *",
        "0 12 14 2 *",
        "\t 0  0\t1,15 * 1 ",
        "007 * * * *"
      })
  void acceptsWhatIsPosix(String expression) {
    kit.initialize(List.of(task("a", expression)));
    assertTrue(kit.state("a").isPresent());
  }

  @Test
  void runsOnEitherDayIfBothDaysAreRestricted() {
    kit.initialize(
        List.of(task("a", "0 0 1,15 * 1"), task("b", "0 0 15 * *"), task("c", "0 0 * * 1")));
    kit.advance(Duration.ofDays(31));
    // March 2026: Mondays are the 2nd, 9th, 16th, 23rd and 30th.
    assertEquals(7, kit.starts("a").size());
    assertEquals(1, kit.starts("b").size());
    assertEquals(5, kit.starts("c").size());
  }
}
