package dev.kron.config;

import static dev.kron.config.Krontabs.job;
import static dev.kron.config.Krontabs.jobWith;
import static dev.kron.config.Krontabs.parse;
import static dev.kron.config.Krontabs.said;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.JobSpec;
import dev.kron.job.JobSpec.Output;
import dev.kron.job.RetryPolicy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the format document says, in its order. */
class KrontabTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "# nightly backup\n0 0 * * * @win(after,2h) name=nightly-backup command=/usr/bin/backup",
        "0 0 * * * @win(after,2h) @dist(uniform) name=db-backup command=/usr/bin/backup",
        "0 0 * * * name=backup command=/usr/bin/backup",
        "0 0 * * * @win(after,3h) @dist(uniform) name=db-backup command=/usr/bin/backup",
        "0 10 * * * @tz(Europe/Paris) @win(around,90m) @dist(skewLate,shape=2.5)"
            + " name=batch-messages command=\"/usr/bin/send-messages --batch\"",
        "0 2 * * * @win(after,1h) name=cleanup command=/usr/bin/cleanup env=MODE=prod timeout=20m",
      })
  void readsTheExamplesOfTheFormat(String text) {
    JobSpec job = job(text);
    assertTrue(job.command().getFirst().startsWith("/usr/bin/"));
  }

  @Test
  void takesTheFullestExampleOfTheFormatAtItsWord() {
    JobSpec human =
        job(
            "0 10 * * * @tz(Europe/Paris) @win(around,90m) @dist(skewLate,shape=2.5)"
                + " name=batch-messages command=\"/usr/bin/send-messages --batch\"");
    assertEquals("batch-messages", human.name());
    assertEquals(List.of("/usr/bin/send-messages", "--batch"), human.command());
    assertEquals(
        "0 10 * * * @tz(Europe/Paris) @win(around,1h30m0s) @dist(skewLate,shape=2.5)",
        human.schedule().canonical());
    JobSpec cleanup =
        job(
            "0 2 * * * @win(after,1h) name=cleanup command=/usr/bin/cleanup env=MODE=prod"
                + " timeout=20m");
    assertEquals(List.of("MODE=prod"), cleanup.environment());
    assertEquals(Duration.ofMinutes(20), cleanup.timeout());
    assertEquals(
        "Nightly full backup", jobWith("description=\"Nightly full backup\"").description());
    assertEquals(
        new Output.File("/var/log/backup.out"),
        jobWith("stdout=file:/var/log/backup.out").stdout());
  }

  @Test
  void ignoresCommentsAndEmptyLines() {
    String text = "# a\n\n#b\n   \n\t\n  # indented\n0 0 * * * name=a command=/bin/true\n\n#end";
    assertEquals(7, job(text).line());
  }

  @Test
  void needsNoLineEndAfterTheLastEntry() {
    assertEquals("a", job("0 0 * * * name=a command=/bin/true").name());
    assertEquals("a", job("0 0 * * * name=a command=/bin/true\n").name());
  }

  @Test
  void separatesFieldsBySpacesAndTabs() {
    JobSpec job = job("  0 0 * * *\tname=a \t  command=/bin/true\tuser=bob  \t ");
    assertEquals("bob", job.user());
  }

  @Test
  void readsEveryFieldInAnyOrder() {
    JobSpec job =
        job(
            "*/5 * * * * @tz(Europe/Paris) onfailure=\"/bin/mail -s failed ops\""
                + " description=\"Nightly \\\"full\\\" backup\" stderr=discard"
                + " stdout=file:/var/log/%n-%Y%m%d.out timeout=1h30m umask=0027 shell=false"
                + " env=FOO=bar env=MODE= env=\"TEXT=a b=c\" cwd=/var/backups group=100 user=backup"
                + " command=\"/usr/bin/backup --full\" name=db/backup-1");
    assertEquals("db/backup-1", job.name());
    assertEquals(List.of("/usr/bin/backup", "--full"), job.command());
    assertEquals("backup", job.user());
    assertEquals("100", job.group());
    assertEquals("/var/backups", job.cwd());
    assertEquals(List.of("FOO=bar", "MODE=", "TEXT=a b=c"), job.environment());
    assertFalse(job.shell());
    assertEquals(027, job.umask());
    assertEquals(Duration.ofMinutes(90), job.timeout());
    assertEquals(new Output.File("/var/log/%n-%Y%m%d.out"), job.stdout());
    assertEquals(Output.Discard.DISCARD, job.stderr());
    assertEquals("Nightly \"full\" backup", job.description());
    assertEquals(List.of("/bin/mail", "-s", "failed", "ops"), job.onFailure());
  }

  @Test
  void leavesOutWhatIsNotThere() {
    JobSpec job = jobWith("");
    assertNull(job.user());
    assertNull(job.group());
    assertNull(job.cwd());
    assertEquals(List.of(), job.environment());
    assertFalse(job.shell());
    assertNull(job.umask());
    assertNull(job.timeout());
    assertEquals(Output.Inherit.INHERIT, job.stdout());
    assertEquals(Output.Inherit.INHERIT, job.stderr());
    assertNull(job.description());
    assertEquals(List.of(), job.onFailure());
  }

  @Test
  void aRetryHasItsDefaults() {
    assertEquals(RetryPolicy.NONE, jobWith("").retry());
    assertEquals(new RetryPolicy(3, 30_000, 3_600_000, List.of(0)), jobWith("retries=3").retry());
    assertEquals(
        new RetryPolicy(20, 1_500, 60_000, List.of(0, 3)),
        jobWith("retries=20 retrydelay=1.5s retrymax=1m okexit=\"0,3\"").retry());
  }

  @Test
  void warnsOfChainsThatLeadNowhere() {
    String first = "0 0 * * * name=a command=/bin/true then=b\n";
    assertEquals(
        List.of("1:36: warning: \"b\" is suspended: it is skipped, and never started"),
        said(first + "@manual @policy(suspend=true) name=b command=/bin/true"));
    assertEquals(
        List.of(
            "2:34: warning: stdin=cause, and no job names it in then: its input is always empty"),
        said("0 0 * * * name=b command=/bin/true\n@manual name=c command=/bin/true stdin=cause"));
  }

  @Test
  void warnsWhereAnExitCodeOf0IsNoSuccess() {
    String line = "0 0 * * * name=a command=/bin/true ";
    assertEquals(
        List.of("1:43: warning: okexit does not list 0: a command that exits 0 counts as failed"),
        said(line + "okexit=3"));
    assertEquals(
        List.of("1:36: warning: retrydelay has no effect without retries=1 or more"),
        said(line + "retrydelay=3s"));
    assertEquals(
        List.of("1:46: warning: retrydelay is longer than retrymax: every wait is 1h0m0s"),
        said(line + "retries=1 retrydelay=2h"));
  }

  @Test
  void takesAnUnquotedCommandAsOneWord() {
    assertEquals(
        List.of("/opt/it's\\odd/run"),
        job("0 0 * * * name=a command=/opt/it's\\odd/run").command());
  }

  @Test
  void splitsAQuotedCommandLikeAShellDoes() {
    assertEquals(
        List.of("/usr/bin/backup", "--target", "primary cluster"),
        job("0 0 * * * name=a command=\"/usr/bin/backup --target \\\"primary cluster\\\"\"")
            .command());
  }

  @Test
  void expandsNothing() {
    assertEquals(
        List.of("/bin/echo", "$HOME", "*", "`id`", "~", "${x}"),
        job("0 0 * * * name=a command=\"/bin/echo $HOME * `id` ~ ${x}\"").command());
  }

  @Test
  void readsABackslashOfTheCommandFromTwo() {
    // In the file: command="/bin/grep a\\ b" - the value is: /bin/grep a\ b - the words: grep, "a
    // b"
    assertEquals(
        List.of("/bin/grep", "a b"),
        job("0 0 * * * name=a command=\"/bin/grep a\\\\ b\"").command());
  }

  @Test
  void handsAShellTheWholeText() {
    JobSpec job = job("0 0 * * * name=a command=\"cd /tmp && ls 'x  y' | wc -l\" shell=true");
    assertTrue(job.shell());
    assertEquals(List.of("cd /tmp && ls 'x  y' | wc -l"), job.command());
    assertEquals(List.of("backup"), job("0 0 * * * shell=true name=a command=backup").command());
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "db-backup", "a/b/c", "0", "-", "/", "a--b"})
  void acceptsNames(String name) {
    assertEquals(name, job("0 0 * * * command=/bin/true name=" + name).name());
  }

  @ParameterizedTest
  @CsvSource({"0027,23", "027,23", "27,23", "0,0", "0000,0", "0777,511", "777,511"})
  void readsMasksAsOctal(String text, int mask) {
    assertEquals(mask, jobWith("umask=" + text).umask());
  }

  @ParameterizedTest
  @CsvSource({"10m,600000", "30s,30000", "1.5h,5400000", "1h30m,5400000", "250ms,250"})
  void readsTimeoutsAsGoDurations(String text, long millis) {
    assertEquals(Duration.ofMillis(millis), jobWith("timeout=" + text).timeout());
  }

  @ParameterizedTest
  @ValueSource(strings = {"backup", "www-data", "_apt", "1000", "svc$", "bob@example.org", "Δ"})
  void acceptsUsers(String user) {
    assertEquals(user, jobWith("user=" + user).user());
    assertEquals(user, jobWith("group=" + user).group());
  }

  @Test
  void knowsFourWaysOfOutput() {
    assertEquals(Output.Inherit.INHERIT, jobWith("stdout=inherit").stdout());
    assertEquals(Output.Discard.DISCARD, jobWith("stdout=discard").stdout());
    assertEquals(Output.Syslog.SYSLOG, jobWith("stderr=syslog").stderr());
    assertEquals(
        new Output.File("/var/log/a b 100%%.log"),
        jobWith("stderr=\"file:/var/log/a b 100%%.log\"").stderr());
  }

  @Test
  void derivesTheIdentityFromTheNormalisedAbsolutePath() {
    byte[] content = "0 0 * * * name=db/x command=/bin/true".getBytes(StandardCharsets.UTF_8);
    Krontab krontab =
        new KrontabParser(KrontabParser.Settings.DEFAULT)
            .parse(Path.of("/etc/./krond.d/../krond.d//jobs.kron"), content);
    assertEquals("/etc/krond.d/jobs.kron:db/x", krontab.jobs().getFirst().identity());
    Krontab relative =
        new KrontabParser(KrontabParser.Settings.DEFAULT).parse(Path.of("jobs.kron"), content);
    assertEquals(
        Path.of("").toAbsolutePath() + "/jobs.kron:db/x", relative.jobs().getFirst().identity());
  }

  @Test
  void keepsValidEntriesBesideInvalidOnes() {
    Krontab krontab =
        parse("0 0 * * * name=a command=/bin/true\nnonsense\n0 0 * * * name=b command=/bin/true\n");
    assertFalse(krontab.isValid());
    assertEquals(List.of("a", "b"), krontab.jobs().stream().map(JobSpec::name).toList());
  }

  @Test
  void refusesRelativeCommandsOnlyWhenStrict() {
    var strict = KrontabParser.Settings.DEFAULT.withStrict(true);
    String relative = "0 0 * * * name=a command=\"backup --full\"";
    assertTrue(parse(relative).isValid());
    assertEquals(
        List.of(
            "1:27: command is the relative path \"backup\"; strict mode wants an absolute one,"
                + " such as /usr/bin/backup"),
        said(parse(relative, strict)));
    assertFalse(parse("0 0 * * * name=a command=./x", strict).isValid());
    assertFalse(parse("0 0 * * * name=a command=/bin/x onfailure=mail", strict).isValid());
    // With a shell the program is /bin/sh, and what the shell runs is its own business.
    assertTrue(parse("0 0 * * * name=a shell=true command=backup", strict).isValid());
  }

  @Test
  void sharesWhatIsEqual() {
    String fields =
        " command=\"/bin/x --all\" env=A=1 env=B=2 cwd=/tmp timeout=5m stdout=file:/x\n";
    Krontab krontab = parse("0 0 * * * name=a" + fields + "0 0 * * * name=b" + fields);
    JobSpec a = krontab.jobs().get(0);
    JobSpec b = krontab.jobs().get(1);
    assertSame(a.file(), b.file());
    assertSame(a.schedule(), b.schedule());
    assertSame(a.command(), b.command());
    assertSame(a.environment(), b.environment());
    assertSame(a.cwd(), b.cwd());
    assertSame(a.timeout(), b.timeout());
    assertSame(a.stdout(), b.stdout());
  }

  @Test
  void warnsOfShellSyntaxWithoutAShell() {
    assertEquals(
        List.of(
            "1:27: warning: \"|\" is passed to the program as a word; for a pipe, a redirection or"
                + " a list of commands add shell=true"),
        said("0 0 * * * name=a command=\"/bin/ls | wc -l\""));
    assertTrue(parse("0 0 * * * name=a command=\"/bin/ls | wc -l\"").isValid());
  }

  @Test
  void warnsOfVariablesThatTheDaemonSets() {
    assertEquals(
        List.of("1:40: warning: krond sets KRON_JOB itself; this has no effect"),
        said("0 0 * * * name=a command=/bin/true env=KRON_JOB=x env=KRON_MINE=y"));
  }
}
