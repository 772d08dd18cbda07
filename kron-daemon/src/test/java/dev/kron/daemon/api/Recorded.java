package dev.kron.daemon.api;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers on record: a file says what they are to be, member by member. */
final class Recorded {
  private static final Pattern REQUESTED = Pattern.compile("(GET|POST) (.*)");

  /** After the present time, and before the past of services. */
  private static final String MACHINES_ZONE =
      "((?:\"now\":\"[^\"]+\"|\"name\":\"[^\"]+\"),\n\"zone\":)\"[^\"]+\"";

  private final Caller caller;
  private final StatedControl control;
  private final List<String> told = new ArrayList<>();

  Recorded(Caller caller, StatedControl control) {
    this.caller = caller;
    this.control = control;
  }

  /** Asks, and writes down what is answered, and what reaches the daemon. */
  Recorded ask(String... requests) throws Exception {
    for (String request : requests) {
      Matcher matcher = REQUESTED.matcher(request.startsWith("/") ? "GET " + request : request);
      if (!matcher.matches()) {
        throw new IllegalArgumentException(request);
      }
      control.asked.clear();
      Caller.Response response = caller.call(matcher.group(1), matcher.group(2));
      String asked = control.asked.stream().map(it -> it + "\n").collect(joining());
      told.add(matcher.group() + "\n" + asked + response.status() + "\n" + body(response));
    }
    return this;
  }

  /** What else is to be as it was. */
  void add(String text) {
    told.add(text + "\n");
  }

  private static String body(Caller.Response response) {
    String body = response.body();
    return body.startsWith("#") ? metrics(body) : memberByMember(body) + "\n";
  }

  /** Those of Kron, but for where nothing was counted. */
  private static String metrics(String body) {
    return body.lines()
        .filter(line -> line.startsWith("kron_") && !line.contains("_bucket"))
        .map(line -> line + "\n")
        .collect(joining());
  }

  private static String memberByMember(String json) {
    return json.replaceAll("(?<=[{\\[,])(?=[\"{])", "\n");
  }

  /**
   * What was told is what stands in the file; what it is now stands in {@code target}.
   *
   * @param file beside this class
   */
  void isAsIn(String file) throws Exception {
    String now =
        String.join("\n", told)
            .replaceAll("by=[^,\\]]+", "by=ME")
            .replaceAll("\"java\":\"[^\"]+\"", "\"java\":\"25\"")
            .replaceAll(MACHINES_ZONE, "$1\"HERE\"");
    Files.writeString(Files.createDirectories(Path.of("target")).resolve(file), now);
    try (InputStream in = Recorded.class.getResourceAsStream(file)) {
      String expected = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(expected, now, "target/" + file + " is what is told now");
    }
  }
}
