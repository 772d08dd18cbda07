package dev.kron.daemon.api;

import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** A refused request, in the form of RFC 9457. */
public final class ApiProblem extends RuntimeException {
  private static final long serialVersionUID = 1L;
  public static final String TYPE = "application/problem+json";

  private static final Map<Integer, String> TITLES =
      Map.ofEntries(
          Map.entry(400, "Bad request"),
          Map.entry(401, "Who are you?"),
          Map.entry(403, "Not allowed"),
          Map.entry(404, "Not found"),
          Map.entry(405, "Method not allowed"),
          Map.entry(408, "Too slow"),
          Map.entry(409, "Refused"),
          Map.entry(413, "Too large"),
          Map.entry(414, "Address too long"),
          Map.entry(421, "Not for this host"),
          Map.entry(422, "Configuration has errors"),
          Map.entry(431, "Headers too large"),
          Map.entry(500, "A fault of krond"),
          Map.entry(503, "Not now"));

  private final int status;
  private final transient List<String> details;

  public ApiProblem(int status, String detail) {
    this(status, detail, List.of());
  }

  /**
   * @param details the reasons, if there are several
   */
  ApiProblem(int status, String detail, List<String> details) {
    super(detail, null, false, false);
    this.status = status;
    this.details = List.copyOf(details);
  }

  public int status() {
    return status;
  }

  public void write(JsonWriter.Sink out) throws IOException {
    try (var json = new JsonWriter(out, JsonWriter.Layout.COMPACT)) {
      json.beginObject();
      json.member("type", "about:blank");
      json.member("title", TITLES.getOrDefault(status, "Error"));
      json.member("status", status);
      json.member("detail", String.valueOf(getMessage()));
      if (!details.isEmpty()) {
        json.member("details", details);
      }
      json.endObject();
    }
  }
}
