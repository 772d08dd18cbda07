package dev.kron.scheduler;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The errors about remembered state, word for word, and the JSON beneath them. */
class TaskJsonTest {
  private static final String WHOLE =
      "{\"name\":\"a\",\"cronExpression\":\"0 3 * * *\",\"retryDelay\":\"PT5M\","
          + "\"lastAttemptAt\":null,\"lastSuccessAt\":null,\"lastFailureAt\":null,"
          + "\"pendingRetryUntil\":null,\"runningUnder\":null}";

  private static TaskState read(String json) throws TaskJsonReader.JsonSyntaxException {
    return TaskJson.read(TaskJsonReader.parse(json), "tasks.json, task 1");
  }

  private static <E extends TaskTryDeserializeException> E rejected(
      Class<E> type, String from, String to) {
    String json = WHOLE.replace(from, to);
    assertTrue(!json.equals(WHOLE), from);
    return assertThrows(type, () -> read(json));
  }

  @Test
  void readsWhatIsWhole() throws TaskJsonReader.JsonSyntaxException {
    assertEquals(States.plain("a"), read(WHOLE));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "name",
        "cronExpression",
        "retryDelay",
        "lastAttemptAt",
        "lastSuccessAt",
        "lastFailureAt",
        "pendingRetryUntil"
      })
  void taskMissingField(String field) {
    String entry = WHOLE.replaceAll("^.*(\"" + field + "\":[^,]*,).*$", "$1");
    var error = rejected(TaskMissingFieldException.class, entry, "");
    assertEquals("Missing required field: " + field, error.getMessage());
    assertEquals(field, error.field());
    assertEquals("string", error.expectedType());
    assertNull(error.value());
  }

  @ParameterizedTest
  @CsvSource({"7,number", "true,boolean", "{},object", "[],array", "1.5,number"})
  void taskInvalidType(String value, String actual) {
    var error =
        rejected(
            TaskInvalidTypeException.class, "\"lastAttemptAt\":null", "\"lastAttemptAt\":" + value);
    assertEquals(
        "Invalid type for field 'lastAttemptAt': expected string, got " + actual,
        error.getMessage());
    assertEquals("lastAttemptAt", error.field());
    assertEquals("string", error.expectedType());
    assertEquals(actual, error.actualType());
    assertEquals(value, String.valueOf(error.value()));
  }

  @Test
  void taskInvalidTypeOfNull() {
    var error = rejected(TaskInvalidTypeException.class, "\"name\":\"a\"", "\"name\":null");
    assertEquals("Invalid type for field 'name': expected string, got null", error.getMessage());
  }

  @Test
  void taskInvalidValue() {
    var error = rejected(TaskInvalidValueException.class, "\"PT5M\"", "\"-PT5M\"");
    assertEquals("Invalid value for field 'retryDelay': must not be negative", error.getMessage());
    assertEquals("retryDelay", error.field());
    assertEquals("-PT5M", error.value());
    assertEquals("must not be negative", error.reason());
  }

  @ParameterizedTest
  @CsvSource({
    "\"name\":\"a\",\"name\":\"\",name",
    "\"PT5M\",\"five\",retryDelay",
    "\"lastSuccessAt\":null,\"lastSuccessAt\":\"today\",lastSuccessAt"
  })
  void everyValueIsChecked(String from, String to, String field) {
    var error = rejected(TaskInvalidValueException.class, from, to);
    assertEquals(field, error.field());
    assertEquals("Invalid value for field '" + field + "': " + error.reason(), error.getMessage());
  }

  @Test
  void taskInvalidStructure() {
    var error = assertThrows(TaskInvalidStructureException.class, () -> read("[1]"));
    assertEquals("Task state must be an object, got array", error.getMessage());
    assertEquals("[1]", String.valueOf(error.value()));
    assertEquals("tasks.json, task 1", error.source());
    rejected(TaskInvalidStructureException.class, "\"name\"", "\"Name\":1,\"name\"");
  }

  @Test
  void allErrorsHaveTheirRootsInCommon() {
    SchedulerException root = assertThrows(SchedulerException.class, () -> read("null"));
    assertTrue(root instanceof TaskTryDeserializeException);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[",
        "\"",
        "nul",
        "{\"a\"}",
        "{\"a\":1,}",
        "[1,]",
        "01",
        "-",
        "1.",
        "1e",
        "+1",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\u0001\"",
        "1 2",
        "{\"a\":1,\"a\":2}",
        "\"\\",
        "\"\\u1\"",
        "'a'"
      })
  void whatIsNotJsonIsRejectedAndNothingElseHappens(String text) {
    assertThrows(TaskJsonReader.JsonSyntaxException.class, () -> TaskJsonReader.parse(text));
  }

  @Test
  void depthIsBounded() {
    String deep = "[".repeat(100_000);
    assertThrows(TaskJsonReader.JsonSyntaxException.class, () -> TaskJsonReader.parse(deep));
  }

  @Test
  void readsAllOfJson() throws TaskJsonReader.JsonSyntaxException {
    assertEquals(
        "{a=[1, -2.5E10, true, false, null, \"\\/\b\f\n\r\té], b={}, c=9.223372036854776E18}",
        String.valueOf(
            TaskJsonReader.parse(
                " {\"a\" : [1, -2.5e+10, true,false,null,\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"],"
                    + "\"b\":{}, \"c\":9223372036854775808} ")));
  }
}
