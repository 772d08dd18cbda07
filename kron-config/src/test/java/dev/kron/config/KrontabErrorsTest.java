package dev.kron.config;

import static dev.kron.config.Krontabs.parse;
import static dev.kron.config.Krontabs.said;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.text.VisibleText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said, and where, about each way to get an entry wrong. */
class KrontabErrorsTest {
  private static final String START = "0 0 * * * name=a command=/bin/true "; // 35 characters

  /** Fields after {@link #START}, then what is said. */
  static final List<Arguments> FIELDS =
      List.of(
          Arguments.of("usr=bob", "1:36: unknown key \"usr\"; did you mean \"user\"?"),
          Arguments.of("cmd=bob", "1:36: unknown key \"cmd\"; did you mean \"command\"?"),
          Arguments.of(
              "User=bob", "1:36: unknown key \"User\"; keys are case-sensitive: write \"user\""),
          Arguments.of(
              "wait=3",
              "1:36: unknown key \"wait\"; the keys are name, command, user, group, cwd, envfile,"
                  + " env, profile, shell, umask, timeout, stdout, stderr, description, onfailure,"
                  + " retries, retrydelay, retrymax, okexit, then, stdin, nice, late, expect,"
                  + " least, silent"),
          Arguments.of("nice=20", "1:41: nice is \"20\"; expected 0 to 19"),
          Arguments.of("late=0s", "1:41: late is \"0s\"; expected 1s to 8784h"),
          Arguments.of("silent=9000h", "1:43: silent is \"9000h\"; expected 1s to 8784h"),
          Arguments.of("nice=-5", "1:41: nice is \"-5\"; expected 0 to 19"),
          Arguments.of(
              "retries=21", "1:44: retries is \"21\"; expected how often to try again, 0 to 20"),
          Arguments.of(
              "retries=-1", "1:44: retries is \"-1\"; expected how often to try again, 0 to 20"),
          Arguments.of("retrydelay=0s", "1:47: retrydelay is \"0s\"; expected 1ms to 8784h"),
          Arguments.of(
              "retries=1 retrymax=9000h", "1:55: retrymax is \"9000h\"; expected 1ms to 8784h"),
          Arguments.of(
              "okexit=\"0,256\"",
              "1:44: okexit is \"0,256\"; expected exit codes from 0 to 255, such as"
                  + " okexit=\"0,3\""),
          Arguments.of(
              "okexit=0,,3",
              "1:43: okexit is \"0,,3\"; expected exit codes from 0 to 255, such as"
                  + " okexit=\"0,3\""),
          Arguments.of(
              "=3",
              "1:36: a key is missing before \"=\"; the keys are name, command, user, group, cwd,"
                  + " envfile, env, profile, shell, umask, timeout, stdout, stderr, description,"
                  + " onfailure, retries, retrydelay, retrymax, okexit, then, stdin, nice, late,"
                  + " expect, least, silent"),
          Arguments.of(
              "stdin=file", "1:42: stdin is \"file\"; expected cause or file:/absolute/path"),
          Arguments.of("stdin=/x", "1:42: stdin is \"/x\"; did you mean file:/x?"),
          Arguments.of(
              "stdin=file:x", "1:47: stdin comes from \"x\"; expected the absolute path of a file"),
          Arguments.of(
              "stdin=file:/in/%x",
              "1:51: stdin uses \"%x\"; a path knows %Y %m %d %H %M %S (time of start), %n (the"
                  + " job's name) and %%"),
          Arguments.of(
              "envfile=app.env",
              "1:44: envfile is \"app.env\"; expected the absolute path of a file"),
          Arguments.of(
              "envfile=/etc/", "1:44: envfile is \"/etc/\"; expected the absolute path of a file"),
          Arguments.of(
              "envfile=/a envfile=/b", "1:47: a second envfile; the first one stands in column 36"),
          Arguments.of("env_file=/a", "1:36: unknown key \"env_file\"; did you mean \"envfile\"?"),
          Arguments.of(
              "profile=../x",
              "1:44: profile is \"../x\", which holds \".\"; a profile's name is made of a-z, 0-9"
                  + " and \"-\""),
          Arguments.of("then=b", "1:36: then names \"b\", which is no job of this file"),
          Arguments.of("then=a", "1:36: then leads back to where it began: a → a; leave one out"),
          Arguments.of("name=b", "1:36: a second name; the first one stands in column 11"),
          Arguments.of("command=/x", "1:36: a second command; the first one stands in column 18"),
          Arguments.of("user=a user=b", "1:43: a second user; the first one stands in column 36"),
          Arguments.of("user=", "1:36: user has no value; no space may stand after the \"=\""),
          Arguments.of("cwd=\"\"", "1:36: cwd has no value; no space may stand after the \"=\""),
          Arguments.of("user=a:b", "1:41: user is \"a:b\"; expected the name or number of a user"),
          Arguments.of("group=-x", "1:42: group is \"-x\"; expected the name or number of a group"),
          Arguments.of(
              "user=4294967295", "1:41: user is \"4294967295\"; the largest id is 4294967294"),
          Arguments.of(
              "user=99999999999999999999",
              "1:41: user is \"99999999999999999999\"; the largest id is 4294967294"),
          Arguments.of(
              "cwd=tmp",
              "1:40: cwd is \"tmp\"; expected an absolute path (krond's own directory is no place"
                  + " to start from)"),
          Arguments.of("env=FOO", "1:40: env is \"FOO\"; expected env=KEY=value"),
          Arguments.of(
              "env==x", "1:40: env has no variable name before its \"=\"; expected env=KEY=value"),
          Arguments.of(
              "env=1A=x",
              "1:40: env sets \"1A\"; a variable's name is made of letters, digits and \"_\" and"
                  + " begins with no digit"),
          Arguments.of(
              "env=SHLVL=1",
              "1:40: env sets \"SHLVL\"; shells keep this name for themselves, so no command can be"
                  + " given it; choose another name, or set it in a script"),
          Arguments.of(
              "env=kron_keeper_1=A=b",
              "1:40: env sets \"kron_keeper_1\"; names that begin with kron_keeper_ are krond's"
                  + " own; choose another name"),
          Arguments.of(
              "env=A=1 env=A=2", "1:48: env sets \"A\" twice on this line; keep one of them"),
          Arguments.of("shell=yes", "1:42: shell is \"yes\"; expected true or false"),
          Arguments.of(
              "umask=0o27", "1:42: umask is \"0o27\"; expected an octal number from 0000 to 0777"),
          Arguments.of(
              "umask=0089", "1:42: umask is \"0089\"; expected an octal number from 0000 to 0777"),
          Arguments.of(
              "umask=1000", "1:42: umask is \"1000\"; expected an octal number from 0000 to 0777"),
          Arguments.of(
              "umask=00027",
              "1:42: umask is \"00027\"; expected an octal number from 0000 to 0777"),
          Arguments.of(
              "timeout=0s",
              "1:44: timeout is \"0s\"; expected more than 0 (leave the field out for no timeout)"),
          Arguments.of(
              "timeout=-1s",
              "1:44: timeout is \"-1s\"; expected more than 0 (leave the field out for no"
                  + " timeout)"),
          Arguments.of(
              "stdout=null",
              "1:43: stdout is \"null\"; expected inherit, discard, syslog or file:/absolute/path"),
          Arguments.of(
              "stdout=/var/log/x", "1:43: stdout is \"/var/log/x\"; did you mean file:/var/log/x?"),
          Arguments.of(
              "stderr=file:x", "1:48: stderr goes to \"x\"; expected the absolute path of a file"),
          Arguments.of(
              "stderr=file:/x/",
              "1:48: stderr goes to \"/x/\"; expected the absolute path of a file"),
          Arguments.of(
              "stderr=file:/x%q",
              "1:50: stderr uses \"%q\"; a path knows %Y %m %d %H %M %S (time of start), %n (the"
                  + " job's name) and %%"),
          Arguments.of(
              "stderr=file:/x%",
              "1:50: stderr uses \"%\"; a path knows %Y %m %d %H %M %S (time of start), %n (the"
                  + " job's name) and %%"),
          Arguments.of("description=\"open", "1:48: the quote that opens here is never closed"),
          Arguments.of("description=\"open\\", "1:48: the quote that opens here is never closed"),
          Arguments.of("description=\"a\"b", "1:51: a space must follow the closing quote"),
          Arguments.of(
              "description=\"a\\n\"",
              "1:50: \\n is no escape: only \\\" and \\\\ are; write \\\\ for a backslash"),
          Arguments.of(
              "description='a b'",
              "1:48: values are quoted with double quotes (\"), not with single ones (')"),
          Arguments.of(
              "env=A=\"b c\"",
              "1:42: a double quote inside an unquoted value: put the quotes around the whole"
                  + " value, as in env=\"...\", with \\\" for a quote inside"),
          Arguments.of(
              "# why",
              "1:36: comments after an entry are not supported: put the comment on a line of its"
                  + " own"),
          Arguments.of(
              "@win(after,2h)",
              "1:36: \"@win(after,2h)\" must stand in the schedule, before the first key=value"
                  + " field"),
          Arguments.of(
              "user = bob", "1:41: no space may stand before or after \"=\": write user=bob"),
          Arguments.of(
              "--full --fast",
              "1:36: expected key=value, found \"--full\"; a value with spaces needs double quotes,"
                  + " as in command=\"/bin/echo hello\""),
          Arguments.of("onfailure=", "1:36: onfailure is empty"),
          Arguments.of("onfailure=\"  \"", "1:36: onfailure is empty"));

  @ParameterizedTest
  @FieldSource("FIELDS")
  void pointsAtAWrongField(String fields, String expected) {
    assertEquals(List.of(expected), said(START + fields));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "user=a",
        "group=a",
        "cwd=/a",
        "shell=true",
        "umask=0027",
        "timeout=1s",
        "stdout=inherit",
        "stderr=discard",
        "description=a",
        "onfailure=/a"
      })
  void refusesASecondOfEveryFieldButEnv(String field) {
    String key = field.substring(0, field.indexOf('='));
    assertEquals(
        List.of(
            "1:%d: a second %s; the first one stands in column 36"
                .formatted(36 + field.length() + 1, key)),
        said(START + field + " " + field));
    assertEquals(List.of(), said(START + "env=A=1 env=B=2"));
  }

  /** Whole lines, then what is said. */
  static final List<Arguments> LINES =
      List.of(
          Arguments.of(
              "0 0 * * * command=/bin/true",
              List.of("1:28: name is missing; every entry needs one, such as name=nightly-backup")),
          Arguments.of(
              "0 0 * * * name=a  ",
              List.of(
                  "1:17: command is missing; every entry needs one, such as"
                      + " command=/usr/bin/backup")),
          Arguments.of(
              "0 0 * * *",
              List.of(
                  "1:10: name is missing; every entry needs one, such as name=nightly-backup",
                  "1:10: command is missing; every entry needs one, such as"
                      + " command=/usr/bin/backup")),
          Arguments.of("0 0 * * * name=a command=", List.of("1:18: command is empty")),
          Arguments.of("0 0 * * * name=a command=\"\"", List.of("1:18: command is empty")),
          Arguments.of("0 0 * * * name=a command=\" \t\"", List.of("1:18: command is empty")),
          Arguments.of(
              "0 0 * * * name=a command=\" \" shell=true", List.of("1:18: command is empty")),
          Arguments.of(
              "0 0 * * * name=a command=\"'' x\"",
              List.of("1:27: command is empty: its first word, the program, is \"\"")),
          Arguments.of(
              "0 0 * * * name=a command=\"/bin/x 'open\"",
              List.of("1:34: the single quote that opens here is never closed within the command")),
          Arguments.of(
              "0 0 * * * name=a command=\"/bin/\\\"x\\\" y \\\"open\"",
              List.of("1:40: the double quote that opens here is never closed within the command")),
          Arguments.of(
              "0 0 * * * name=a command=\"/bin/x \\\\\"",
              List.of("1:34: a backslash at the end of a command escapes nothing")),
          Arguments.of(
              "0 0 * * * command=/bin/true name=Backup",
              List.of(
                  "1:34: name is \"Backup\", which holds \"B\"; a name is made of a-z, 0-9, \"-\""
                      + " and \"/\"")),
          Arguments.of(
              "0 0 * * * command=/bin/true name=a_b",
              List.of(
                  "1:34: name is \"a_b\", which holds \"_\"; a name is made of a-z, 0-9, \"-\" and"
                      + " \"/\"")),
          Arguments.of(
              "0 0 * * * /usr/bin/backup --full",
              List.of(
                  "1:11: expected key=value, found \"/usr/bin/backup\"; a value with spaces needs"
                      + " double quotes, as in command=\"/bin/echo hello\"",
                  "1:33: name is missing; every entry needs one, such as name=nightly-backup")));

  @ParameterizedTest
  @FieldSource("LINES")
  void pointsAtAWrongLine(String line, List<String> expected) {
    assertEquals(expected, said(line));
  }

  @Test
  void tellsEverythingThatIsWrongAtOnce() {
    assertEquals(
        List.of(
            "1:35: umask is \"9\"; expected an octal number from 0000 to 0777",
            "1:37: unknown key \"usr\"; did you mean \"user\"?",
            "1:51: shell is \"maybe\"; expected true or false",
            "1:56: name is missing; every entry needs one, such as name=nightly-backup",
            "3:18: unknown key \"comand\"; did you mean \"command\"?"),
        said(
            """
            0 0 * * * command=/bin/true umask=9 usr=bob shell=maybe
            # fine
            0 0 * * * name=b comand=/bin/x
            0 0 * * * name=c command=/bin/y
            """));
  }

  @Test
  void tellsTheProblemsOfAScheduleWithTheirPlaces() {
    List<String> said = said("  61 0 * * * @win(after,2x) name=a command=/bin/true umask=8");
    assertTrue(said.get(0).startsWith("1:3: "), said.toString());
    assertTrue(said.get(1).startsWith("1:26: "), said.toString());
    assertTrue(said.get(2).startsWith("1:60: umask"), said.toString());
    assertEquals(3, said.size());
  }

  @Test
  void doesNotTakeTheNameForACronField() {
    List<String> said = said("0 0 * * name=a command=/bin/true");
    assertEquals(1, said.size(), said.toString());
    assertTrue(said.getFirst().startsWith("1:1: "), said.toString());
  }

  @Test
  void namesBothLinesOfADuplicateName() {
    assertEquals(
        List.of(
            "4:16: line 4 has the same name as line 2, \"x\"; names must be unique within a file"),
        said(
            """
            # jobs
            0 0 * * * name=x command=/bin/a
            0 0 * * * name=y command=/bin/a
            0 0 * * * name=x command=/bin/b
            """));
  }

  @Test
  void tellsWhatIsWrongBetweenTheJobsOfAChain() {
    assertEquals(
        List.of("1:36: then leads back to where it began: a → b → c → a; leave one out"),
        said(
            """
            0 0 * * * name=a command=/bin/true then="b c"
            0 0 * * * name=b command=/bin/true then=c
            0 0 * * * name=c command=/bin/true then=a
            """));
    assertEquals(
        List.of(
            "1:36: \"b\" has stdin=cause, and stdout of this job is not captured: leave its stdout"
                + " out",
            "2:36: \"b\" has stdin=cause, which is allowed between jobs of the same user only"),
        said(
            """
            0 0 * * * name=a command=/bin/true then=b stdout=discard
            0 0 * * * name=c command=/bin/true then=b user=bob
            0 0 * * * name=b command=/bin/cat stdin=cause
            """));
  }

  @Test
  void aChainMayBeAsLongAsItsFile() {
    var lines = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      lines.append("@manual name=j%d command=/bin/true then=j%d\n".formatted(i, i + 1));
    }
    String last = "@manual name=j20000 command=/bin/true";
    assertEquals(List.of(), said(lines + last));
    List<String> said = said(lines + last + " then=\"j0 j19999\"");
    assertEquals(2, said.size());
    assertTrue(
        said.getFirst()
            .endsWith(
                " then leads back to where it began: j0 → j1 → j2 → j3 → j4 → … → j19997 → j19998"
                    + " → j19999 → j20000 → j0; leave one out"),
        said::toString);
    assertTrue(said.getLast().contains("began: j19999 → j20000 → j19999; leave one out"));
  }

  @Test
  void countsColumnsInCharacters() {
    // An emoji is two UTF-16 units and one character; a tab is one character.
    assertEquals(
        "1:54: unknown key \"usr\"; did you mean \"user\"?",
        said("0 0 * * *\tname=a\tcommand=/bin/true\tdescription=\"😀é漢\" usr=x").getFirst());
  }

  @Test
  void neverRepeatsControlCharactersOfTheFile() {
    Krontab krontab =
        parse("0 0 * * * name=a command=/bin/true usr=\u202Egnp.exe x\u2066=1 bad\u00A0token");
    for (Diagnostic diagnostic : krontab.diagnostics()) {
      String rendered = new DiagnosticRenderer(80).render(diagnostic);
      assertTrue(
          rendered.codePoints().allMatch(c -> c == '\n' || VisibleText.isPrintable(c)), rendered);
    }
  }

  @Test
  void boundsWhatItSaysAboutOneLine() {
    Krontab krontab = parse("0 0 * * * " + "x=1 ".repeat(10_000));
    assertEquals(51, krontab.diagnostics().size());
    assertEquals(
        "too much is wrong on this line to list it all", krontab.diagnostics().get(50).message());
  }
}
