package dev.kron.cli.crontab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.crontab.Finding.Kind;
import dev.kron.config.Krontab;
import dev.kron.config.KrontabParser;
import dev.kron.cron.CronCalendar;
import dev.kron.job.JobSpec;
import dev.kron.schedule.Schedule;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Imported jobs run when a model of cron runs them, over five years, without exception. */
class ImportedTimesTest {
  private static final long SEED = Long.getLong("kron.seed", 20261115);
  private static final int ENTRIES = 60;
  private static final long NOW = Instant.parse("2026-03-01T12:00:00Z").getEpochSecond();
  private static final long END = NOW + 5L * 366 * 86_400;

  private static final String[] MINUTES = {
    "0", "30", "17", "*", "*/15", "*/7", "0,30", "0-59/20", "5-10", "*,5", "59"
  };
  private static final String[] HOURS = {
    "*", "*/2", "2", "2", "1", "3", "0", "1-3", "0-23/3", "2,14", "23", "1,2,3", "0-23"
  };
  private static final String[] DAYS = {
    "*", "*", "*/2", "*/1", "1", "15", "1,15", "1-7", "28-31", "*/10,5", "1-31", "13"
  };
  private static final String[] MONTHS = {"*", "*", "*", "3,4,9-11", "JAN-jun", "oct", "*/2", "2"};
  private static final String[] WEEKDAYS = {
    "*", "*", "0", "7", "sun", "1-5", "MON-fri", "*/2", "5-7", "*/1", "6,0", "0-6", "*/7", "1-7/3"
  };

  private final SplittableRandom random = new SplittableRandom(SEED);

  private String fields() {
    return String.join(" ", pick(MINUTES), pick(HOURS), pick(DAYS), pick(MONTHS), pick(WEEKDAYS));
  }

  private String pick(String[] choices) {
    return choices[random.nextInt(choices.length)];
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UTC",
        "Europe/Paris",
        "America/New_York",
        "Australia/Lord_Howe",
        "Asia/Tokyo",
        "Africa/Casablanca"
      })
  void runWhenCronRunsThem(String zone) {
    var cron = new VixieCron();
    var crontab = new StringBuilder();
    for (int i = 0; i < ENTRIES; i++) {
      String fields = fields();
      assertEquals(i, cron.add(fields));
      crontab.append(fields).append(" /usr/bin/job-").append(i).append('\n');
    }
    CrontabImport.Result imported = CrontabImport.of(crontab.toString(), settings(zone));
    Map<String, JobSpec> jobs = jobs(imported.krontab());
    cron.live(ZoneId.of(zone), NOW, END);
    String seed = " (-Dkron.seed=" + SEED + ", " + zone + ")";
    int different = 0;
    for (int i = 0; i < ENTRIES; i++) {
      String name = "job-" + i;
      JobSpec job = jobs.get(name);
      String line = crontab.toString().lines().toList().get(i);
      if (job == null) {
        assertTrue(lost(imported, i + 1), line + " is neither there nor reported" + seed);
        assertEquals(List.of(), cron.runs(i), line + seed);
        continue;
      }
      // Two times that a change skips are made up for at one moment: one period, one run.
      List<Long> expected = cron.runs(i).stream().distinct().toList();
      assertEquals(expected, runs(job), line + seed);
      different += job.schedule().written().contains("@dst(cron)") ? 1 : 0;
    }
    boolean clocksChange =
        ZoneId.of(zone).getRules().nextTransition(Instant.ofEpochSecond(NOW)) != null;
    assertEquals(clocksChange, different > 0, "jobs with @dst(cron)" + seed);
  }

  private static List<Long> runs(JobSpec job) {
    List<Long> runs = new ArrayList<>();
    Schedule schedule = job.schedule();
    long nominal = schedule.next(NOW);
    while (nominal != CronCalendar.NONE && nominal < END) {
      if (!schedule.decide(job.identity(), nominal).unschedulable()) {
        runs.add(nominal);
      }
      nominal = schedule.next(nominal);
    }
    return runs;
  }

  private static boolean lost(CrontabImport.Result imported, int line) {
    return imported.findings().stream()
        .anyMatch(finding -> finding.line() == line && finding.kind() == Kind.LOST);
  }

  private static Map<String, JobSpec> jobs(String text) {
    Krontab krontab =
        new KrontabParser(KrontabParser.Settings.DEFAULT)
            .parse(Path.of("/imported.krontab"), text.getBytes(UTF_8));
    assertEquals(List.of(), krontab.diagnostics());
    Map<String, JobSpec> jobs = new HashMap<>();
    krontab.jobs().forEach(job -> jobs.put(job.name(), job));
    return jobs;
  }

  private static CrontabImport.Settings settings(String zone) {
    return new CrontabImport.Settings(
        false, null, zone, Duration.ZERO, false, _ -> "/home/me", NOW);
  }
}
