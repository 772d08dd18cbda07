package dev.kron.config;

import static dev.kron.config.ServiceTexts.said;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every mistake is told with its place, what was found, and what was expected. */
class ServiceErrorsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // unknown keys and tables
        "command = 'x'               | 3:1: unknown key \"command\" in [service]; did you mean"
            + " \"exec\"?",
        "instance = 2                | 3:1: unknown key \"instance\" in [service]; did you mean"
            + " \"instances\"?",
        "requires = ['db']           | 3:1: unknown key \"requires\" in [service]; it belongs under"
            + " [dependencies]",
        "colour = 'red'              | 3:1: unknown key \"colour\" in [service]; the keys are name,"
            + " type, exec, shell, instances, autostart, user, group, cwd, umask, description, env",
        "[lifecycle]#stop_timeout = 5| 4:1: unknown key \"stop_timeout\" in [lifecycle]; did you"
            + " mean \"stop_timeout_ms\"?",
        "[depends]                   | 3:1: unknown table \"depends\"; the tables are service,"
            + " dependencies, lifecycle, health, hooks, credentials, log",
        "[lifecylce]                 | 3:1: unknown table \"lifecylce\"; did you mean [lifecycle]?",
        "[hooks]#ExecStartPre = 'x'   | 4:1: unknown key \"ExecStartPre\" in [hooks]; did you mean"
            + " \"before_start\"?",
        "[hooks]#after_stop = 3       | 4:14: after_stop is the number 3; expected a text,"
            + " \"/usr/bin/web --port 8080\", or a list of words",
        "[hooks]#reload='a'#timeout_ms=0| 5:12: timeout_ms is 0; expected a number from 1 to"
            + " 2592000000 of milliseconds",
        "[hooks]#shell=true#reload=['a']| 5:8: reload is a list, but shell = true wants one text,"
            + " which the shell will split",
        "[hooks]#on_failure = 'x'     | 4:1: unknown key \"on_failure\" in [hooks]; did you mean"
            + " \"onfailure\"?",
        "onfailure = 'x'             | 3:1: unknown key \"onfailure\" in [service]; it belongs"
            + " under [hooks]",
        "[env]#A = 'b'               | 3:1: unknown table \"env\"; did you mean [service.env]?",
        "[restart]                   | 3:1: \"restart\" stands outside of its table; it belongs"
            + " under [lifecycle]",
        "[[log]]                     | 3:1: log is a list of 1; expected a table, which begins with"
            + " a line [log]",
        // wrong types
        "shell = 'yes'               | 3:9: shell is the text \"yes\"; expected true or false,"
            + " without quotes",
        "instances = '2'             | 3:13: instances is the text \"2\"; expected a whole number,"
            + " without quotes",
        "instances = 1.5             | 3:13: instances is the number 1.5; expected a whole number,"
            + " without quotes",
        "description = 3             | 3:15: description is the number 3; expected a text, such as"
            + " description = \"the shop\"",
        "cwd = 2026-01-01            | 3:7: cwd is the date or time \"2026-01-01\"; expected a"
            + " text, such as cwd = \"/srv/web\"",
        "env = 'A=b'                 | 3:7: env is the text \"A=b\"; expected a table [service.env]"
            + " of KEY = \"value\"",
        "[service.env]#A = 3         | 4:5: A is the number 3; a variable is a text: put it in"
            + " quotes",
        "[dependencies]#requires='db'| 4:10: requires is the text \"db\"; expected a list of texts,"
            + " such as requires = [\"db\"]",
        "[dependencies]#after=['a',3]| 4:12: after holds the number 3; expected texts only, each in"
            + " quotes",
        "[lifecycle]#stop_signal = 15| 4:15: stop_signal is the number 15; expected a signal by its"
            + " name, such as \"SIGINT\"",
        "[lifecycle]#ready = 3       | 4:9: ready is the number 3; expected a text, such as ready ="
            + " \"notify\"",
        "[lifecycle]#ready = 'fd:2'  | 4:9: ready is \"fd:2\"; expected \"notify\" (READY=1 to the"
            + " socket in NOTIFY_SOCKET), or \"fd:3\" to \"fd:9\" (a line on that descriptor);"
            + " without it the service is ready by its [health], or as soon as it was started",
        "type='oneshot'#[lifecycle]#ready = 'notify'| 5:9: a oneshot is ready when it has exited;"
            + " remove ready, or make it type = \"simple\"",
        "[lifecycle]#restart = true  | 4:11: restart is the truth value true; expected one of"
            + " always, on-failure, never",
        // bounds and words
        "instances = 0               | 3:13: instances is 0; expected a number from 1 to 1000",
        "type = 'simpel'             | 3:8: type is \"simpel\"; did you mean \"simple\"?",
        "type = 'daemon'             | 3:8: type is \"daemon\"; expected one of simple, oneshot,"
            + " target",
        "umask = 22                  | 3:9: umask is the number 22; expected an octal number from"
            + " 0000 to 0777, as umask = \"0022\" or 0o022",
        "umask = '0999'              | 3:9: umask is the text \"0999\"; expected an octal number"
            + " from 0000 to 0777, as umask = \"0022\" or 0o022",
        "cwd = 'srv'                 | 3:7: cwd is \"srv\"; expected an absolute path (krond's own"
            + " directory is no place to start from)",
        "user = 'a b'                | 3:8: user is \"a b\"; expected the name or number of a user",
        "name = 'Web'                | 3:8: name is \"Web\", which holds \"W\"; it is made of a-z,"
            + " 0-9 and \"-\"",
        "name = '-web'               | 3:8: name is \"-web\"; it may not begin with \"-\"",
        "name = ''                   | 3:8: name is empty; expected something such as \"web\"",
        "[lifecycle]#restart = 'on_failure' | 4:11: restart is \"on_failure\"; did you mean"
            + " \"on-failure\"?",
        "[lifecycle]#max_restarts = -1| 4:16: max_restarts is -1; expected a number from 0 to"
            + " 1000000",
        "[lifecycle]#stop_timeout_ms = 0| 4:19: stop_timeout_ms is 0; expected a number from 1 to"
            + " 2592000000 of milliseconds",
        "[lifecycle]#restart_delay_max_ms = 5| 4:24: restart_delay_max_ms is 5, less than"
            + " restart_delay_ms, which is 1000",
        "[lifecycle]#stop_signal = 'SIGTREM'| 4:15: stop_signal is \"SIGTREM\"; did you mean"
            + " \"SIGTERM\"?",
        "[lifecycle]#stop_signal = 'STOP'| 4:15: stop_signal is \"STOP\"; expected one of SIGHUP,"
            + " SIGINT, SIGQUIT, SIGABRT, SIGKILL, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGWINCH",
        "[service.env]#'1A' = 'x'    | 4:1: env sets \"1A\"; a variable's name is made of letters,"
            + " digits and \"_\" and begins with no digit",
        "[service.env]#UID = '1'     | 4:1: env sets \"UID\"; shells keep this name for themselves,"
            + " so no command can be given it; choose another name, or set it in a script",
        "[health]#http = 'localhost' | 4:8: http is \"localhost\"; expected something such as"
            + " \"http://localhost:8080/up\"",
        "[health]#tcp = 'localhost'  | 4:7: tcp is \"localhost\"; expected something such as"
            + " \"localhost:8080\"",
        "[health]#tcp = '::1:80'     | 4:7: tcp is \"::1:80\"; expected something such as"
            + " \"localhost:8080\"",
        "[health]#tcp = 'a:65536'    | 4:7: tcp is \"a:65536\"; expected something such as"
            + " \"localhost:8080\"",
        "[health]#tcp = 'a:1'#http = 'http://a'| 4:1: a service has one health check, and http is"
            + " it already; keep one of http, tcp",
        "[credentials]#profile = '../x'| 4:11: profile is \"../x\", which holds \".\"; a profile's"
            + " name is made of a-z, 0-9 and \"-\"",
        "[credentials]               | 3:1: profile is missing under [credentials]; expected"
            + " something such as profile = \"shop-prod\"",
        "[log]#max_size = 'big'      | 4:12: max_size is the text \"big\"; expected a size from 1"
            + " byte to 1 TiB, such as \"10MiB\"",
        "[log]#max_size = '2TiB'     | 4:12: max_size is the text \"2TiB\"; expected a size from 1"
            + " byte to 1 TiB, such as \"10MiB\"",
        "[log]#keep = 5000           | 4:8: keep is 5000; expected a number from 0 to 1000",
        // TOML itself
        "shell = flase               | 3:9: unexpected 'f', expected a value",
        "exec = '/bin/other'         | 3:1: exec previously defined at line 2, column 1"
      })
  void tellsWhatIsWrongAndWhere(String lines, String expected) {
    String text = "[service]\nexec = '/bin/web'\n" + lines.strip().replace('#', '\n') + "\n";
    assertEquals(List.of(expected), said(text), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "''                          | 2:8: exec is empty; expected something such as"
            + " \"/usr/bin/web --port 8080\"",
        "[]                          | 2:8: exec names no program: its first word is empty",
        "['', 'x']                   | 2:8: exec names no program: its first word is empty",
        "3                           | 2:8: exec is the number 3; expected a text, \"/usr/bin/web"
            + " --port 8080\", or a list of words",
        "'/bin/web \"x'              | 2:18: the double quote that opens here is never closed"
            + " within the command",
        "\"/bin/web \\\"x\"          | 2:8: the double quote that opens here is never closed within"
            + " the command",
        "\"/bin/web \\u0000\"        | 2:8: exec holds the control character U+0000",
        "['/bin/web', 5]             | 2:21: exec holds the number 5; expected texts only, each in"
            + " quotes"
      })
  void tellsWhatIsWrongWithACommand(String exec, String expected) {
    assertEquals(List.of(expected), said("[service]\nexec = " + exec.strip() + "\n"));
  }

  @Test
  void saysWhatIsMissing() {
    String missing =
        "exec is missing under [service]; every service but a target needs one, such as exec ="
            + " \"/usr/bin/web --port 8080\"";
    assertEquals(List.of("1:1: " + missing), said(""));
    assertEquals(List.of("2:1: " + missing), said("\n[service]\n"));
    assertEquals(
        List.of("2:8: unexpected end of line, expected \" or a character"),
        said("[service]\nexec = \"/bin/web\n").stream()
            .map(line -> line.replaceFirst("^2:\\d+", "2:8"))
            .toList(),
        "what cannot be read is not called missing as well");
  }

  @Test
  void saysAllOfItAtOnceInTheOrderOfTheFile() {
    assertEquals(
        List.of(
            "1:1: unknown table \"Service\"; did you mean [service]?",
            "4:1: exec is missing under [service]; every service but a target needs one, such as"
                + " exec = \"/usr/bin/web --port 8080\"",
            "5:1: unknown key \"nmae\" in [service]; did you mean \"name\"?",
            "6:8: type is \"simpl\"; did you mean \"simple\"?",
            "8:12: max_size is the truth value true; expected a size from 1 byte to 1 TiB, such as"
                + " \"10MiB\""),
        said(
            """
            [Service]
            x = 1

            [service]
            nmae = "web"
            type = "simpl"
            [log]
            max_size = true
            """));
  }

  @Test
  void wantsNoProcessOfATarget() {
    assertEquals(
        List.of(
            "3:8: a target has no process; remove exec, or make it type = \"simple\"",
            "4:1: warning: user has no effect: a target has no process of its own",
            "5:1: a target has no process to check; remove [health]",
            "8:1: warning: restart has no effect: a target has no process of its own"),
        said(
            """
            [service]
            type = "target"
            exec = "/bin/web"
            user = "www"
            [health]
            tcp = "a:1"
            [lifecycle]
            restart = "never"
            """));
  }

  @Test
  void wantsOneTextForAShell() {
    assertEquals(
        List.of("3:8: exec is a list, but shell = true wants one text, which the shell will split"),
        said("[service]\nshell = true\nexec = ['a', 'b']\n"));
  }

  @Test
  void warnsOfWhatIsLegalAndHardlyMeant() {
    assertEquals(
        List.of(
            "2:8: warning: \"|\" is passed to the program as a word; for a pipe, a redirection or a"
                + " list of commands add shell = true",
            "4:1: warning: variables that begin with KRON_ are krond's own; this may have no"
                + " effect",
            "6:12: warning: requires names \"db\" twice",
            "7:1: warning: [health] without exec, http or tcp checks nothing: the service counts as"
                + " ready as soon as it was started",
            "10:12: warning: max_size is 512 bytes, so small that the log is rotated all the time;"
                + " 64KiB is a good least"),
        said(
            """
            [service]
            exec = "/bin/a | /bin/b"
            [service.env]
            KRON_JOB = "x"
            [dependencies]
            requires = ["db", "db"]
            [health]
            interval_ms = 5
            [log]
            max_size = 512
            """));
  }

  @Test
  void wantsAbsolutePathsInStrictMode() {
    assertEquals(
        List.of(
            "2:8: exec is the relative path \"web\"; strict mode wants an absolute one, such as"
                + " /usr/bin/web"),
        said(ServiceTexts.parse("[service]\nexec = \"web -x\"\n".getBytes(UTF_8), true)));
  }

  @Test
  void namesAServiceAfterItsFileWhereThatIsAName() {
    ServiceFile file =
        new ServiceParser(KrontabParser.Settings.DEFAULT)
            .parse(Path.of("/etc/krond.d/My_App.toml"), "[service]\nexec='x'\n".getBytes(UTF_8));
    assertEquals(
        List.of(
            "1:1: the name from the file's is \"My_App\", which holds \"M\"; it is made of a-z, 0-9"
                + " and \"-\"; give it one with name = \"…\" under [service]"),
        said(file));
  }

  @Test
  void countsColumnsInCharacters() {
    assertEquals(
        List.of("2:16: unexpected 'x', expected a newline or end-of-input"),
        said("[service]\nexec = \"/b/😀é\" x\n").stream()
            .map(line -> line.replaceFirst(" or a comment", ""))
            .toList());
  }

  @Test
  void refusesWhatIsNotUtf8Text() {
    byte[] latin =
        "[service]\nexec = \"/bin/w\u00e9b\"\n"
            .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    assertEquals(
        List.of(
            "2:15: byte 0xE9, at offset 24 of the file, is not valid UTF-8; if the file is Latin-1,"
                + " convert it with iconv -f LATIN1 -t UTF-8"),
        said(ServiceTexts.parse(latin, false)));
    assertTrue(said("\uFEFF[service]\n").getFirst().contains("byte order mark"));
    assertTrue(
        said(ServiceTexts.parse(new byte[] {(byte) 0xFF, (byte) 0xFE, 0}, false))
            .getFirst()
            .contains("UTF-16"));
    String line = "x = \"" + "y".repeat(70_000) + "\"";
    assertTrue(said(line).getFirst().contains("the limit is 65536"));
  }

  @Test
  void listsNoMoreThanAPersonReads() {
    List<String> lines = new ArrayList<>(List.of("[service]", "exec = 'x'"));
    for (int i = 0; i < 300; i++) {
      lines.add("unknown-" + i + " = 1");
    }
    assertEquals(51, said(String.join("\n", lines)).size());
  }
}
