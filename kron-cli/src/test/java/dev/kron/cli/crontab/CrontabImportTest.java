package dev.kron.cli.crontab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.config.Krontab;
import dev.kron.config.KrontabParser;
import dev.kron.job.JobSpec;
import dev.kron.schedule.GoDuration;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CrontabImportTest {
  private static final long SEED = Long.getLong("kron.seed", 20261115);
  private static final long NOW = Instant.parse("2026-03-01T12:00:00Z").getEpochSecond();

  private static CrontabImport.Settings user() {
    return settings(false, "UTC", Duration.ZERO, false);
  }

  private static CrontabImport.Settings settings(
      boolean system, String zone, Duration spread, boolean mail) {
    return new CrontabImport.Settings(
        system,
        null,
        zone,
        spread,
        mail,
        name -> name.isEmpty() ? "/home/me" : name.get().equals("ghost") ? null : "/home/x",
        NOW);
  }

  private static List<JobSpec> jobs(CrontabImport.Result result) {
    Krontab krontab =
        new KrontabParser(KrontabParser.Settings.DEFAULT)
            .parse(Path.of("/imported.krontab"), result.krontab().getBytes(UTF_8));
    assertTrue(krontab.isValid(), result.krontab() + krontab.diagnostics());
    return krontab.jobs();
  }

  private static JobSpec job(String crontab) {
    CrontabImport.Result result = CrontabImport.of(crontab, user());
    assertEquals(List.of(), result.findings());
    return jobs(result).getFirst();
  }

  private static List<String> findings(String crontab, CrontabImport.Settings settings) {
    CrontabImport.Result result = CrontabImport.of(crontab, settings);
    jobs(result);
    return result.findings().stream()
        .map(
            finding ->
                finding.line()
                    + " "
                    + finding.kind().text()
                    + ": "
                    + (finding.job().isEmpty() ? "" : finding.job() + ": ")
                    + finding.message())
        .toList();
  }

  @Test
  void givesACommandToTheShellAsItStands() {
    JobSpec job = job("5 4 * * *   echo \"a  b\" 'c\\d' | wc >/dev/null 2>&1 \n");
    assertEquals(List.of("echo \"a  b\" 'c\\d' | wc >/dev/null 2>&1 "), job.command());
    assertTrue(job.shell());
    assertEquals("/home/me", job.cwd());
    assertNull(job.user());
  }

  @Test
  void writesTheZoneOut() {
    CrontabImport.Result result = CrontabImport.of("*/5 * * * * /bin/true\n", user());
    assertEquals(
        "*/5 * * * * @tz(UTC) name=true command=\"/bin/true\" shell=true cwd=/home/me\n",
        result.krontab());
    assertTrue(result.isSame());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "H H * * * /bin/x | 0 0 * * * | 23h59m",
        "H 3 * * * /bin/x | 0 3 * * * | 59m",
        "H/15 * * * * /bin/x | */15 * * * * | 14m",
        "H(10-29) 4 * * * /bin/x | 10 4 * * * | 19m",
        "0~59 * * * * /bin/x | 0 * * * * | 59m",
        "30~45 2 * * 1 /bin/x | 30 2 * * 1 | 15m",
        "5 1~4 * * * /bin/x | 5 1 * * * | 3h0m",
        "0 3 * * * sleep $((RANDOM \\% 600)); /bin/x | 0 3 * * * | 9m59s",
        "0 3 * * * sleep $(( RANDOM \\% 31 ))m && /bin/x | 0 3 * * * | 30m",
        "* * * * * sleep $((RANDOM \\% 600)) ; /bin/x | * * * * * | 1m",
      })
  void makesAWindowOfWhatIsLeftToChance(String line, String fields, String window) {
    CrontabImport.Result result = CrontabImport.of(line + "\n", user());
    JobSpec job = jobs(result).getFirst();
    assertEquals(fields, Objects.requireNonNull(job.schedule().cron()).text());
    assertEquals(GoDuration.parseNanos(window) / 1_000_000_000, job.schedule().window().seconds());
    assertEquals(List.of("/bin/x"), job.command());
    assertEquals("x", job.name());
    assertTrue(result.isSame());
    assertEquals(1, result.findings().size());
  }

  @Test
  void doesNotGuessWhatCannotBeAWindow() {
    assertTrue(
        findings("*/5 H * * * /bin/x\n", user()).getFirst().startsWith("1 not carried over: "));
    assertTrue(
        findings("50~20 3 * * * /bin/x\n", user()).getFirst().startsWith("1 not carried over: "));
  }

  @Test
  void namesTheProgramAndNotItsPreparations() {
    assertEquals("backup", job("0 0 * * * cd /srv && sleep 5 && ./backup.sh\n").name());
    assertEquals("sync", job("0 0 * * * sleep $((1 + 2)); sync\n").name());
  }

  @Test
  void seesWhatMayBeASystemCrontab() {
    Predicate<String> isUser = Set.of("root", "www-data")::contains;
    assertTrue(CrontabImport.looksLikeSystem("A=b\n0 0 * * * root x\n@daily www-data y\n", isUser));
    assertFalse(CrontabImport.looksLikeSystem("0 0 * * * root x\n0 0 * * * y z\n", isUser));
    assertFalse(CrontabImport.looksLikeSystem("0 0 * * * root\n", isUser));
    assertFalse(CrontabImport.looksLikeSystem("# nothing\n", isUser));
  }

  @Test
  void keepsCommentsWhereTheyWere() {
    CrontabImport.Result result =
        CrontabImport.of("# one\n\n\t# two, über\n@daily x\n# three\n", user());
    assertEquals(
        List.of("# one", "", "\t# two, über", "# three"),
        result.krontab().lines().filter(line -> !line.startsWith("0")).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "@yearly, 0 0 1 1 *",
    "@annually, 0 0 1 1 *",
    "@monthly, 0 0 1 * *",
    "@weekly, 0 0 * * 0",
    "@daily, 0 0 * * *",
    "@midnight, 0 0 * * *",
    "@hourly, 0 * * * *",
  })
  void knowsTheShortcuts(String shortcut, String fields) {
    assertEquals(
        fields, Objects.requireNonNull(job(shortcut + "\t/bin/true").schedule().cron()).text());
  }

  @Test
  void readsTheUserColumnOfASystemCrontab() {
    CrontabImport.Result result =
        CrontabImport.of(
            """
            17 *\t* * *\troot\tcd / && run-parts --report /etc/cron.hourly
            @daily www-data /bin/true
            """,
            settings(true, "UTC", Duration.ZERO, false));
    List<JobSpec> jobs = jobs(result);
    assertEquals("root", jobs.get(0).user());
    assertEquals("cron-hourly", jobs.get(0).name());
    assertEquals(List.of("cd / && run-parts --report /etc/cron.hourly"), jobs.get(0).command());
    assertEquals("www-data", jobs.get(1).user());
    assertEquals("/home/x", jobs.get(1).cwd());
  }

  @Test
  void putsVariablesOnTheEntriesBelowThem() {
    List<JobSpec> jobs =
        jobs(
            CrontabImport.of(
                """
                @daily one
                A=1
                 B = "two words"\s
                C='it''s'
                @daily two
                A=
                HOME=/srv
                TZ=Asia/Tokyo
                @daily three
                """,
                user()));
    assertEquals(List.of(), jobs.get(0).environment());
    assertEquals(List.of("A=1", "B=two words", "C=it''s"), jobs.get(1).environment());
    assertEquals("/home/me", jobs.get(1).cwd());
    assertEquals(
        List.of("A=", "B=two words", "C=it''s", "HOME=/srv", "TZ=Asia/Tokyo"),
        jobs.get(2).environment());
    assertEquals("/srv", jobs.get(2).cwd());
    assertEquals("UTC", jobs.get(2).schedule().zone().getId());
  }

  @Test
  void startsTheShellThatTheCrontabNames() {
    JobSpec job = job("SHELL=/bin/bash\n@daily [[ a == \"a\" ]] && echo 'x'\n");
    assertEquals(List.of("/bin/bash", "-c", "[[ a == \"a\" ]] && echo 'x'"), job.command());
    assertEquals(List.of("SHELL=/bin/bash"), job.environment());
  }

  @Test
  void takesTheZoneThatTheCrontabNames() {
    CrontabImport.Result result =
        CrontabImport.of("CRON_TZ=Asia/Tokyo\n0 9 * * * x\nCRON_TZ=Nowhere\n@daily y\n", user());
    assertEquals("Asia/Tokyo", jobs(result).getFirst().schedule().zone().getId());
    assertEquals(
        List.of(Finding.Kind.NOTE, Finding.Kind.LOST),
        result.findings().stream().map(Finding::kind).toList());
  }

  @Test
  void feedsACommandWhatStandsAfterItsPercentSign() throws Exception {
    assertEquals(
        "100%\nit's $HOME\n\nend\n", run(job("@daily cat%100\\%%it's $HOME%%end").command()));
    assertEquals("a\n", run(job("@daily cat%a%").command()));
    assertEquals("50% \"b\"\n", run(job("@daily echo 50\\% '\"b\"'").command()));
    assertEquals("2\n", run(job("@daily if true; then wc -l | tr -d ' '; fi # x%a%b").command()));
    assertEquals("", run(job("@daily cat%").command()));
  }

  private static String run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder("/bin/sh", "-c", command.getFirst()).start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertTrue(process.waitFor(30, TimeUnit.SECONDS));
    return out;
  }

  @ParameterizedTest
  @CsvSource({
    "*/2, 1, '0 0 * * 1', '@only(dow=MON;dom=1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31)'",
    "1, */2, '0 0 1 * *', '@only(dow=SUN,TUE,THU,SAT;dom=1)'",
    "*/1, 1, '0 0 * * 1', ''",
    "15, */1, '0 0 15 * *', ''",
    "1, 1, '0 0 1 * 1', ''",
    "*/2, *, '0 0 */2 * *', ''",
    "*, */2, '0 0 * * */2', ''",
    "'*,5', '*/1', '0 0 * * *', ''",
  })
  void wantsBothDaysWhereAFieldBeginsWithAStar(
      String day, String weekday, String fields, String only) {
    CrontabImport.Result result = CrontabImport.of("0 0 " + day + " * " + weekday + " x\n", user());
    JobSpec job = jobs(result).getFirst();
    assertEquals(fields, Objects.requireNonNull(job.schedule().cron()).text());
    assertEquals(only, job.schedule().constraints().toString());
    assertEquals(only.isEmpty(), result.isSame());
  }

  @Test
  void followsCronWhereClocksMakeADifference() {
    CrontabImport.Settings paris = settings(false, "Europe/Paris", Duration.ZERO, false);
    String tab = "30 2 * * * a\n30 3 * * * b\n*/10 2 * * * c\n0 * * * * d\n0-59 2 29 2 0 e\n";
    CrontabImport.Result result = CrontabImport.of(tab, paris);
    assertTrue(result.isSame());
    assertEquals(
        List.of(
            "30 2 * * * @dst(cron) @tz(Europe/Paris)",
            "30 3 * * * @tz(Europe/Paris)",
            "0,10,20,30,40,50 2 * * * @tz(Europe/Paris)",
            "0 * * * * @tz(Europe/Paris)",
            "0-59 2 29 2 0 @dst(cron) @tz(Europe/Paris)"),
        jobs(result).stream().map(job -> job.schedule().canonical()).toList());
    CrontabImport.Settings tokyo = settings(false, "Asia/Tokyo", Duration.ZERO, false);
    assertEquals(
        "30 2 * * * @tz(Asia/Tokyo)",
        jobs(CrontabImport.of("30 2 * * * x\n", tokyo)).getFirst().schedule().canonical());
  }

  @Test
  void tellsWhatCannotBeCarriedOver() {
    assertEquals(
        List.of(
            "1 not carried over: @sometimes has no counterpart",
            "2 not carried over: @every_minute has no counterpart",
            "3 not carried over: it has no five time fields, cron does not understand it either",
            "4 not carried over: it has no command, cron does not understand it either",
            "5 not carried over: minute \"5/10\" has a step without a range; write 5-59/10",
            "6 not carried over: it holds a character that cannot be seen",
            "7 not carried over: a variable cannot be called \"a-b\" here",
            "8 not carried over: MAILFROM is about mail, and krond sends none"),
        findings(
            """
            @sometimes a
            @every_minute a
            1 2 3
            1 2 3 * *
            5/10 * * * * a
            1 2 3 * * a\u0007b
            a-b=1
            MAILFROM=x
            """,
            user()));
  }

  @Test
  void leavesLinesThatItCannotCarryOverAsComments() {
    assertEquals(
        "# not carried over: @sometimes /bin/true\n",
        CrontabImport.of("@sometimes /bin/true\n", user()).krontab());
  }

  @Test
  void whatRunsAtAStartOfTheMachineDoesSo() {
    CrontabImport.Result result = CrontabImport.of("A=1\n@reboot /bin/true now\n", user());
    JobSpec job = jobs(result).getFirst();
    assertEquals("@boot", job.schedule().canonical());
    assertEquals(List.of("/bin/true now"), job.command());
    assertTrue(job.environment().contains("A=1"));
  }

  @Test
  void tellsOnceWhatBecomesOfMail() {
    String crontab = "MAILTO=ops, root\n@daily a\n@daily b\nMAILTO=\"\"\n@daily c\n";
    assertEquals(
        List.of(
            "1 not carried over: MAILTO=ops, root: output is kept with each run instead of mailed;"
                + " --mailto-onfailure has failures mailed"),
        findings(crontab, user()));
    List<JobSpec> jobs =
        jobs(CrontabImport.of(crontab, settings(false, "UTC", Duration.ZERO, true)));
    assertEquals(
        List.of("/bin/sh", "-c", "mail -s \"$KRON_JOB: $KRON_OUTCOME $KRON_EXIT\" ops root"),
        jobs.get(0).onFailure());
    assertEquals(List.of(), jobs.get(2).onFailure());
  }

  @Test
  void mailsNothingAboutDaysThatWereNeverMeant() {
    String crontab = "MAILTO=ops\n0 0 */2 * 1 a\n";
    assertEquals(
        "[ \"$KRON_OUTCOME\" = unschedulable ] || mail -s \"$KRON_JOB: $KRON_OUTCOME $KRON_EXIT\""
            + " ops",
        jobs(CrontabImport.of(crontab, settings(false, "UTC", Duration.ZERO, true)))
            .getFirst()
            .onFailure()
            .getLast());
  }

  @Test
  void spreadsJobsThatHaveRoomForIt() {
    CrontabImport.Settings spread = settings(false, "UTC", Duration.ofMinutes(30), false);
    CrontabImport.Result result = CrontabImport.of("0 * * * * a\n*/5 * * * * b\n", spread);
    assertEquals(1_800, jobs(result).get(0).schedule().window().seconds());
    assertEquals(0, jobs(result).get(1).schedule().window().seconds());
    assertEquals(
        List.of("2 note: b: gets no window: it runs every 5m, more often than the spread"),
        findings("0 * * * * a\n*/5 * * * * b\n", spread));
    assertTrue(result.isSame());
  }

  @Test
  void saysWhereAHomeIsNotKnown() {
    CrontabImport.Result result =
        CrontabImport.of("@daily ghost x\n", settings(true, "UTC", Duration.ZERO, false));
    assertNull(jobs(result).getFirst().cwd());
    assertTrue(result.findings().getFirst().message().contains("the home of ghost"));
  }

  @ParameterizedTest
  @CsvSource({
    "/usr/local/bin/backup --full, backup",
    "cd /srv && ./nightly.py, nightly",
    "test -x /usr/sbin/anacron || { cd / && run-parts --report /etc/cron.daily; }, cron-daily",
    "[ -x /usr/bin/certbot ] && /usr/bin/certbot -q renew, certbot",
    "A=1 nice -n 10 sudo -u www-data php -q /srv/Jobs_Hourly.php, jobs-hourly",
    "/usr/bin/flock -n /run/x.lock timeout 30m /opt/Sync!All.sh, sync-all",
    "bash, bash",
    "'\"$HOME/bin/x y\"', x",
    "!!!, job",
    "if true; then do-it; fi, do-it",
  })
  void namesJobsAsAPersonWould(String command, String name) {
    assertEquals(name, new ImportedNames().of(command));
  }

  @Test
  void givesNoNameTwice() {
    List<JobSpec> jobs = jobs(CrontabImport.of("@daily a\n@daily a\n@daily /x/a.sh\n", user()));
    assertEquals(List.of("a", "a-2", "a-3"), jobs.stream().map(JobSpec::name).toList());
  }

  /** Whatever the crontab, the krontab is one, and no line vanishes without a word. */
  @Test
  void makesAValidKrontabOfAnything() {
    var random = new SplittableRandom(SEED);
    String[] pieces = {
      "* ",
      "*/2 ",
      "0 ",
      "5-7 ",
      "@daily ",
      "@reboot ",
      "root ",
      "%",
      "\\%",
      "\\",
      "\"",
      "'",
      "=",
      "A=",
      "MAILTO=",
      "SHELL=",
      "HOME=",
      "PATH=",
      "#",
      "\n",
      "\n",
      "\t",
      " ",
      "0 0 * * * ",
      "/bin/x",
      "é",
      "\u202e",
      "\r",
      "name=",
      "@tz(",
      ";",
      "&&",
      "$(",
      "`",
      "CRON_TZ=Europe/Paris\n",
      "\u0000",
      "😀"
    };
    for (int i = 0; i < 3_000; i++) {
      var text = new StringBuilder();
      for (int length = random.nextInt(40); length > 0; length--) {
        text.append(pieces[random.nextInt(pieces.length)]);
      }
      boolean system = random.nextBoolean();
      CrontabImport.Result result =
          CrontabImport.of(
              text.toString(),
              settings(system, "UTC", Duration.ofMinutes(random.nextInt(2)), random.nextBoolean()));
      jobs(result);
    }
  }
}
