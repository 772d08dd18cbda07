package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** docs/openapi.json, against which answers are held. */
public final class OpenApiDocument {
  private final Map<String, @Nullable Object> document;

  private OpenApiDocument(Map<String, @Nullable Object> document) {
    this.document = document;
  }

  public static OpenApiDocument read() {
    Path root = Path.of(System.getProperty("kron.root", "..")).toAbsolutePath().normalize();
    try {
      return new OpenApiDocument(
          Caller.object(Files.readString(root.resolve("docs/openapi.json"))));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  Map<String, @Nullable Object> paths() {
    return map(document, "paths");
  }

  /** Fails unless an answer is one that the document tells of. */
  public void check(String method, String template, Caller.Response response, int status) {
    String what = method + " " + template + " " + status;
    assertEquals(status, response.status(), what + ": " + response.body());
    Map<String, @Nullable Object> responses =
        map(map(map(paths(), template), method.toLowerCase(Locale.ROOT)), "responses");
    Object documented = responses.get(Integer.toString(status));
    assertNotNull(documented, what + " is not documented");
    Map<String, @Nullable Object> content = map(resolve(object(documented)), "content");
    String type = response.header("content-type").replaceAll(";.*", "");
    assertTrue(content.containsKey(type), what + " is " + type);
    Map<String, @Nullable Object> schema = map(map(content, type), "schema");
    switch (type) {
      case "application/octet-stream", "text/plain" -> {}
      case "text/event-stream" -> {
        for (String line : response.body().split("\n")) {
          if (line.startsWith("data: ")) {
            fits(what, schema, Caller.json(line.substring(6)).value());
          }
        }
      }
      default -> fits(what, schema, Caller.json(response.body()).value());
    }
  }

  /** As much of JSON Schema as the document uses. */
  private void fits(String at, Map<String, @Nullable Object> written, @Nullable Object value) {
    Map<String, @Nullable Object> schema = resolve(written);
    if (schema.get("oneOf") instanceof List<?> choices) {
      var failures = new ArrayList<String>();
      for (Object choice : choices) {
        try {
          fits(at, object(choice), value);
          return;
        } catch (AssertionError e) {
          failures.add(String.valueOf(e.getMessage()));
        }
      }
      throw new AssertionError(at + " fits nothing: " + failures);
    }
    Object type = schema.get("type");
    List<?> types = type instanceof List<?> several ? several : List.of(String.valueOf(type));
    assertTrue(types.contains(typeOf(value)), at + ": " + value + " is not " + types);
    if (schema.get("enum") instanceof List<?> words) {
      assertTrue(words.contains(value), at + ": " + value + " is none of " + words);
    }
    if (value instanceof List<?> list && schema.get("items") != null) {
      list.forEach(item -> fits(at + "[]", map(schema, "items"), item));
    }
    if (value instanceof Map<?, ?> && schema.get("properties") != null) {
      Map<String, @Nullable Object> members = object(value);
      Map<String, @Nullable Object> properties = map(schema, "properties");
      if (schema.get("required") instanceof List<?> required) {
        required.forEach(name -> assertTrue(members.containsKey(name), at + " lacks " + name));
      }
      members.forEach(
          (name, member) -> {
            if (properties.containsKey(name)) {
              fits(at + "." + name, map(properties, name), member);
            } else {
              assertEquals(true, schema.get("additionalProperties"), at + " has also " + name);
            }
          });
    }
  }

  private static String typeOf(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case String _ -> "string";
      case Long _ -> "integer";
      case Boolean _ -> "boolean";
      case List<?> _ -> "array";
      case Map<?, ?> _ -> "object";
      default -> "number";
    };
  }

  private Map<String, @Nullable Object> resolve(Map<String, @Nullable Object> schema) {
    if (!(schema.get("$ref") instanceof String reference)) {
      return schema;
    }
    Map<String, @Nullable Object> found = document;
    for (String step : reference.substring(2).split("/")) {
      found = map(found, step);
    }
    return found;
  }

  static Map<String, @Nullable Object> map(Map<String, @Nullable Object> parent, String name) {
    Object child = parent.get(name);
    assertNotNull(child, "no " + name + " in " + parent.keySet());
    return object(child);
  }

  @SuppressWarnings("unchecked")
  static Map<String, @Nullable Object> object(@Nullable Object value) {
    return (Map<String, @Nullable Object>) Objects.requireNonNull(value);
  }
}
