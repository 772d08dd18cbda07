package dev.kron.notify.channel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.json.Json;
import dev.kron.json.JsonSyntaxException;
import dev.kron.notice.Channel.Flavor;
import dev.kron.notice.Event;
import dev.kron.notice.Message;
import dev.kron.notice.Word;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What each service is sent, against examples from its manual. */
class BodiesTest {
  private static final String NASTY = "<!everyone> @everyone @here ```\u001b[31m & \"quoted\" </b>";

  private static String manual(String name) throws IOException {
    try (InputStream in = BodiesTest.class.getResourceAsStream("/manuals/" + name)) {
      assertNotNull(in, name);
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  /** Every member is one that the manual has, of the same kind of value. */
  private static void isLike(Json manual, Json ours, String where) {
    for (String name : ours.names()) {
      Object theirs = manual.get(name).value();
      assertNotNull(theirs, where + name + " is not in the manual");
      Object mine = ours.get(name).value();
      assertNotNull(mine, where + name);
      assertEquals(theirs.getClass(), mine.getClass(), where + name);
      if (mine instanceof Map<?, ?> && !name.equals("custom_details")) {
        isLike(manual.get(name), ours.get(name), where + name + ".");
      }
    }
  }

  @Test
  void pagerDutyGetsWhatItsManualShows() throws IOException, JsonSyntaxException {
    Json body = Json.parse(Bodies.pagerDuty("samplekey", Letters.of(Word.FAILED)));
    isLike(Json.parse(manual("pagerduty.json")), body, "");
    assertEquals("trigger", body.text("event_action"));
    assertEquals("t1", body.text("dedup_key"));
    assertTrue(
        List.of("critical", "error", "warning", "info")
            .contains(body.get("payload").text("severity")));
    for (String required : List.of("summary", "source", "severity")) {
      assertFalse(body.get("payload").text(required).isEmpty(), required);
    }
    Json over = Json.parse(Bodies.pagerDuty("samplekey", Letters.of(Word.RECOVERED)));
    isLike(Json.parse(manual("pagerduty-resolve.json")), over, "");
    assertEquals("resolve", over.text("event_action"));
    assertEquals("t1", over.text("dedup_key"));
  }

  @Test
  void slackGetsWhatItsManualShowsAndNoMention() throws IOException, JsonSyntaxException {
    Json body = Json.parse(Bodies.slack(Letters.of(Word.FAILED, NASTY)));
    isLike(Json.parse(manual("slack.json")), body, "");
    String text = body.text("text");
    assertFalse(text.contains("<"), text);
    assertFalse(text.contains("@e"), text);
    assertFalse(text.contains("\u001b"), text);
    assertEquals(2, text.split("```", -1).length - 1, "its own code block only");
    assertTrue(text.contains("&lt;!"), text);
    assertTrue(text.contains("exit code 3"), text);
  }

  @Test
  void ntfyGetsWhatItsManualShows() throws IOException, JsonSyntaxException {
    Json body = Json.parse(Bodies.ntfy("mytopic", Letters.of(Word.FAILED, "x".repeat(9_000))));
    isLike(Json.parse(manual("ntfy.json")), body, "");
    assertTrue(body.text("message").getBytes(UTF_8).length <= 4096);
    assertEquals(List.of("rotating_light"), body.texts("tags"));
    assertEquals(
        List.of("white_check_mark"),
        Json.parse(Bodies.ntfy("t", Letters.of(Word.RECOVERED))).texts("tags"));
  }

  @Test
  void aWebHookGetsAllFields() throws JsonSyntaxException {
    Json body = Json.parse(Bodies.webhook(null, Letters.of(Word.FAILED, "last words")));
    assertEquals("t1-2", body.text("id"));
    assertEquals("failed", body.text("word"));
    assertEquals("/etc/krond.d/a.kron:backup/db", body.text("subject"));
    assertEquals("backup/db", body.text("name"));
    assertEquals("host1", body.text("host"));
    assertEquals(3, body.number("exitCode"));
    assertEquals("kron logs 01run", body.text("command"));
    assertEquals(List.of("last words"), body.texts("output"));
    assertEquals("2026-11-06T21:20:00Z", body.text("since"));
  }

  @Test
  void aTemplateIsJsonWhateverIsInItsFieldsAndCallsNobody() throws JsonSyntaxException {
    String template = "{\"content\": \"{title}: {output}\", \"exit\": \"{exit}\"}";
    Json body = Json.parse(Bodies.webhook(template, Letters.of(Word.FAILED, NASTY, "\\{id}$1")));
    assertEquals("3", body.text("exit"));
    assertTrue(body.text("content").contains("\"quoted\""), body.text("content"));
    assertTrue(body.text("content").contains("{id}$1"), body.text("content"));
    assertFalse(body.text("content").contains("@everyone"), body.text("content"));
  }

  @Test
  void aListNamesFiftyAndCountsTheRest() {
    var messages = new ArrayList<Message>();
    for (int i = 0; i < 50; i++) {
      Event event = Event.noticed(i == 0 ? Word.RECOVERED : Word.FAILED, 1, null);
      messages.add(new Message("m" + i, "t", false, Letters.JOB, event, 1, List.of("c")));
    }
    var letter =
        new Letter(
            "list-1", messages, 1000, Map.of(Word.FAILED, 999, Word.RECOVERED, 1), "h", List.of());
    assertEquals("[h] 999 failed, 1 recovered", letter.title());
    assertTrue(letter.text().contains("and 950 more"), letter.text());
    assertTrue(letter.text().contains("list-1"), letter.text());
  }

  @Test
  void signaturesAreThoseOfStandardWebhooks() throws IOException {
    Map<String, String> vector = new java.util.HashMap<>();
    manual("webhook.txt")
        .lines()
        .forEach(line -> vector.put(line.split(" +", 2)[0], line.split(" +", 2)[1]));
    assertEquals(
        vector.get("signature"),
        Signature.of(
            String.valueOf(vector.get("key")),
            String.valueOf(vector.get("id")),
            Long.parseLong(String.valueOf(vector.get("timestamp"))),
            String.valueOf(vector.get("body"))));
  }

  @Test
  void pingsGoWhereTheManualsSay() throws IOException {
    for (String line : manual("pings.txt").lines().toList()) {
      String[] words = line.split(" ");
      Integer exit = words[2].equals("-") ? null : (Integer) Integer.parseInt(words[2]);
      var ping = new Ping("backup/db", Ping.State.valueOf(words[1]), exit);
      Flavor flavor = Flavor.valueOf(words[0].toUpperCase(Locale.ROOT));
      assertEquals(words[4].equals("-") ? null : words[4], ping.address(flavor, words[3]), line);
    }
  }
}
