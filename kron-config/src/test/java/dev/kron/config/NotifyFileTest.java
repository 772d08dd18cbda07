package dev.kron.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.notice.Channel;
import dev.kron.notice.NotifySpec;
import dev.kron.notice.Rule;
import dev.kron.notice.Subject.Kind;
import dev.kron.notice.Word;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NotifyFileTest {
  private static final String GOOD =
      """
      [channel.ops]
      type = "email"
      to = ["ops@example.org"]
      server = "smtp.example.org"
      profile = "smtp"

      [channel.chat]
      type = "webhook"
      profile = "chat"
      template = '{"content": "{title}", "n": "{exit}"}'
      lines = 5

      [channel.life]
      type = "ping"
      flavor = "kuma"
      profile = "life"

      [[rule]]
      jobs = ["backup/*", "/etc/krond.d/db.kron:*"]
      on = ["failed", "missed", "unschedulable", "skipped", "recovered"]
      notify = ["ops", "life"]
      again_after = "4h"

      [[rule]]
      jobs = ["*"]
      on = ["failed"]
      notify = ["chat"]
      """;

  private static NotifyFile parse(String text) {
    return NotifyParser.parse(Path.of("/etc/krond.d/notify.toml"), text.getBytes(UTF_8), 4096);
  }

  @Test
  void saysWhomToTellOfWhat() {
    NotifyFile file = parse(GOOD);
    assertEquals(List.of(), file.diagnostics());
    NotifySpec spec = file.spec();
    Channel ops = spec.channels().get("ops");
    assertNotNull(ops);
    assertEquals(20, ops.lines());
    assertEquals(
        new Channel.Server("smtp.example.org", 587, Channel.Security.STARTTLS), ops.server());
    assertEquals(2, spec.rules().size());
    Rule first = spec.rules().getFirst();
    assertEquals(Kind.JOB, first.kind());
    assertEquals(Duration.ofHours(4), first.againAfter());
    assertTrue(first.on().contains(Word.SKIPPED));
  }

  @Test
  void aRuleIsForJobsOrServicesOrTheDaemon() {
    String channel = "[channel.a]\ntype = \"slack\"\nprofile = \"a\"\n";
    String tail = "notify = [\"a\"]\n";
    NotifyFile file =
        parse(
            channel
                + "[[rule]]\nservices = [\"web\"]\non = [\"flapping\"]\n"
                + tail
                + "[[rule]]\ndaemon = true\non = [\"unhealthy\"]\n"
                + tail);
    assertEquals(List.of(), file.diagnostics());
    assertEquals(
        List.of(Kind.SERVICE, Kind.DAEMON), file.spec().rules().stream().map(Rule::kind).toList());
    for (String wrong :
        List.of(
            "services = [\"web\"]\non = [\"late\"]\n",
            "daemon = true\non = [\"failed\"]\n",
            "daemon = false\non = [\"unhealthy\"]\n",
            "jobs = [\"*\"]\nservices = [\"*\"]\non = [\"failed\"]\n")) {
      assertFalse(parse(channel + "[[rule]]\n" + wrong + tail).isValid(), wrong);
    }
    String ping = "[channel.a]\ntype = \"ping\"\nprofile = \"a\"\n";
    Rule rule =
        parse(ping + "[[rule]]\njobs = [\"*\"]\non = [\"failed\"]\n" + tail)
            .spec()
            .rules()
            .getFirst();
    assertEquals(List.of("a"), rule.pings());
    assertEquals(List.of(), rule.channels());
    NotifyFile wrong = parse(ping + "[[rule]]\ndaemon = true\non = [\"unhealthy\"]\n" + tail);
    assertTrue(
        wrong.diagnostics().getFirst().message().contains("is a ping, which tells of runs of jobs"),
        wrong::toString);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          type = "email"          | type = "emial"           | 2:8: type is "emial"; did you mean "email"?
          type = "email"          | typ = "email"            | 1:1: type is missing in [channel.ops]; expected type = "email", "webhook", "slack", "pagerduty", "ntfy" or "ping"
          ["ops@example.org"]     | ["ops"]                  | 3:7: to holds "ops", which is no address
          ["ops@example.org"]     | "ops@example.org"        | 3:6: to is the text "ops@example.org"; expected a list of texts, such as to = ["ops@example.org"]
          "smtp.example.org"      | "smtp.example.org:x"     | 4:10: server is "smtp.example.org:x"; expected a host, or host:port, such as "smtp.example.org:587"
          profile = "smtp"        | profile = "a/b"          | 5:11: profile is "a/b", which holds "/"; a profile's name is made of a-z, 0-9 and "-"
          profile = "smtp"        | password = "x"           | 5:1: unknown key "password"; the keys here are type, to, from, server, tls, profile, lines
          {title}                 | {titel}                  | 10:12: template uses {titel}; the fields are at, command, exit, host, id, kind, name, output, period, reason, run, signal, since, subject, text, thread, title, word
          "{exit}"}               | {exit                    | 10:12: template is not JSON: a string expected, at character 24; write fields inside of quotes, such as {"text": "{text}"}
          lines = 5               | lines = 500              | 11:9: lines is 500; expected a number from 0 to 200
          "failed", "missed"      | "faild", "missed"        | 20:7: on holds "faild"; did you mean "failed"?
          ["ops", "life"]         | ["opps", "life"]         | 21:11: there is no channel "opps"; did you mean "ops"?
          again_after = "4h"      | again_after = "4"        | 22:15: again_after: "4" lacks a unit after "4"; write "4s" or "4m": a duration is a sequence of numbers, each with a unit ns, us, ms, s, m or h, such as 1h30m, 1.5h or 90s
          again_after = "4h"      | again_after = "1s"       | 22:15: again_after is "1s"; expected 1m or more
          on = ["failed"]         | on = ["recovered"]       | 26:6: on names no problem; say of what to tell, such as on = ["failed"]
          on = ["failed"]         | on = ["flapping"]        | 26:7: on holds "flapping"; expected some of failed, missed, unschedulable, skipped, late, long, short, silent, recovered
          """)
  void saysWhatIsWrongAndWhere(String good, String bad, String message) {
    assertTrue(GOOD.contains(good), good);
    NotifyFile file = parse(GOOD.replaceFirst(java.util.regex.Pattern.quote(good), bad));
    assertFalse(file.isValid());
    assertEquals(
        "/etc/krond.d/notify.toml:" + message,
        file.diagnostics().stream().filter(Diagnostic::isError).toList().getFirst().toString());
    assertEquals(NotifySpec.NONE, file.spec());
  }

  @Test
  void twoRulesForTheSameAreRefused() {
    String twice = GOOD + "\n[[rule]]\njobs = [\"*\"]\non = [\"failed\"]\nnotify = [\"ops\"]\n";
    assertTrue(
        parse(twice).diagnostics().getFirst().message().contains("same as the one on line 24"));
  }

  @Test
  void secretsHaveNoPlaceInIt() {
    NotifyFile file = parse("[channel.x]\ntype = \"slack\"\nurl = \"https://hooks.slack.com/a\"\n");
    assertFalse(file.isValid());
    assertTrue(file.diagnostics().toString().contains("profile is missing"));
  }

  @Test
  void whateverTheBytesAreAFileComesOfThem() {
    var random = new Random(Long.getLong("kron.seed", 16));
    byte[] good = GOOD.getBytes(UTF_8);
    for (int i = 0; i < 300; i++) {
      byte[] bytes = good.clone();
      for (int j = random.nextInt(6); j >= 0; j--) {
        bytes[random.nextInt(bytes.length)] =
            random.nextInt(3) == 0
                ? (byte) random.nextInt(256)
                : (byte) "[]{}\"'=,.\n#".charAt(random.nextInt(11));
      }
      NotifyFile file = NotifyParser.parse(Path.of("/x/notify.toml"), bytes, 4096);
      assertEquals(file.isValid(), !file.spec().equals(NotifySpec.NONE));
    }
  }

  @Test
  void standsInTheFirstDirectoryAndIsNoService(@TempDir Path directory) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    Path first = Files.createDirectory(directory.resolve("a"));
    Path second = Files.createDirectory(directory.resolve("b"));
    Files.writeString(first.resolve("notify.toml"), GOOD);
    Files.writeString(second.resolve("notify.toml"), "nonsense");
    ConfigFiles.Settings settings = ConfigFiles.Settings.of(Account.current());
    ConfigFiles.Configuration read =
        ConfigFiles.read(List.of(first, second), settings, KrontabParser.Settings.DEFAULT);
    assertTrue(read.isValid(), () -> read.diagnostics().toString());
    assertEquals(List.of(), read.services());
    NotifyFile file = read.notifyFile();
    assertNotNull(file);
    assertEquals(2, file.spec().rules().size());
    assertEquals(1, read.passedOver().size());
    ConfigFiles.Configuration named =
        ConfigFiles.read(
            List.of(first),
            settings.withNotifyFile(second.resolve("notify.toml")),
            KrontabParser.Settings.DEFAULT);
    assertFalse(named.isValid());
    assertEquals(
        List.of("smtp", "chat", "life"),
        file.missingSecrets(settings).stream()
            .map(each -> each.message().replaceAll(".*credentials/([a-z]+)[.]env.*", "$1"))
            .toList());
  }
}
