package dev.kron.cli.crontab;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.cli.crontab.CrontabLine.Entry;
import dev.kron.cli.crontab.CrontabLine.Foreign;
import dev.kron.cli.crontab.CrontabLine.Silent;
import dev.kron.cli.crontab.CrontabLine.Variable;
import dev.kron.cli.crontab.Finding.Kind;
import dev.kron.config.Diagnostic;
import dev.kron.config.KrontabParser;
import dev.kron.config.KrontabWriter;
import dev.kron.cron.CronSyntaxException;
import dev.kron.job.JobSpec;
import dev.kron.schedule.Schedule;
import dev.kron.text.VisibleText;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Turns a crontab into a krontab, line by line, and keeps account of what is not the same.
 *
 * <p>No entry is written that the krontab parser would refuse: each is given to it first, and one
 * that it refuses stands in the krontab as a comment and in the account with the reason.
 */
public final class CrontabImport {
  private static final String SH = "/bin/sh";

  private final Settings settings;
  private final Variables variables;
  private final ImportedNames names = new ImportedNames();
  private final List<Line> krontab = new ArrayList<>();
  private final List<Finding> findings = new ArrayList<>();
  private int number;

  /**
   * @param system entries have a user column
   * @param user whose crontab it is, null for the daemon's own user
   * @param zone the time zone of the machine, an IANA name
   * @param spread the window to add, zero for none
   * @param mailOnFailure whether MAILTO becomes a command to run on failure
   * @param homes the home of a user, the daemon's own for null; null where it is not known
   * @param now the present epoch second
   */
  public record Settings(
      boolean system,
      @Nullable String user,
      String zone,
      Duration spread,
      boolean mailOnFailure,
      Function<Optional<String>, @Nullable String> homes,
      long now) {}

  /** A line of the krontab. */
  private sealed interface Line {
    record Plain(String text) implements Line {}

    record Made(String schedule, JobSpec job) implements Line {}
  }

  /**
   * The result: the text of a krontab, and the findings, in the order of the crontab.
   *
   * @param envfile the lines of the file that the krontab names; empty where it names none
   */
  public record Result(String krontab, List<String> envfile, List<Finding> findings) {
    public Result {
      envfile = List.copyOf(envfile);
      findings = List.copyOf(findings);
    }

    /** Whether nothing is lost and nothing will be another way. */
    public boolean isSame() {
      return findings.stream().allMatch(finding -> finding.kind() == Kind.NOTE);
    }
  }

  private CrontabImport(Settings settings) {
    this.settings = settings;
    this.variables = new Variables(settings.zone(), settings.mailOnFailure(), findings);
  }

  /** Reads a whole crontab. */
  public static Result of(String crontab, Settings settings) {
    return of(crontab, settings, null);
  }

  /**
   * Reads a whole crontab.
   *
   * @param envfile path of a file for variables that many jobs share, null: they stay on each line
   */
  public static Result of(String crontab, Settings settings, @Nullable String envfile) {
    var work = new CrontabImport(settings);
    crontab.lines().forEach(work::line);
    work.variables.end();
    SharedVariables shared =
        envfile == null ? new SharedVariables(List.of()) : SharedVariables.of(work.jobs());
    if (envfile != null && !shared.variables().isEmpty()) {
      work.share(shared, envfile);
    }
    work.findings.sort(Comparator.comparingInt(Finding::line));
    var text = new StringBuilder();
    for (Line line : work.krontab) {
      text.append(
              switch (line) {
                case Line.Plain(String plain) -> plain;
                case Line.Made(String schedule, JobSpec job) -> KrontabWriter.line(schedule, job);
              })
          .append('\n');
    }
    return new Result(text.toString(), shared.variables(), work.findings);
  }

  private List<JobSpec> jobs() {
    return krontab.stream()
        .filter(Line.Made.class::isInstance)
        .map(line -> ((Line.Made) line).job())
        .toList();
  }

  private void share(SharedVariables shared, String envfile) {
    krontab.replaceAll(
        line ->
            line instanceof Line.Made(String schedule, JobSpec job) && shared.isFor(job)
                ? new Line.Made(schedule, shared.in(envfile, job))
                : line);
    findings.add(
        new Finding(
            1,
            Kind.NOTE,
            "",
            "variables that many entries share are in " + envfile + ", mode 0600"));
  }

  /**
   * Whether a crontab may have a user column: the word after the time fields of every entry is a
   * user of this machine, and a command follows it.
   */
  public static boolean looksLikeSystem(String crontab, Predicate<String> isUser) {
    List<CrontabLine> entries =
        crontab
            .lines()
            .map(line -> CrontabLine.of(line, true))
            .filter(line -> line instanceof Entry || line instanceof Foreign)
            .toList();
    return !entries.isEmpty()
        && entries.stream()
            .allMatch(
                line -> line instanceof Entry entry && isUser.test(String.valueOf(entry.user())));
  }

  private void line(String text) {
    number++;
    if (text.codePoints().anyMatch(c -> c != '\t' && VisibleText.isHarmful(c))) {
      lost(text, "it holds a character that cannot be seen");
      return;
    }
    switch (CrontabLine.of(text, settings.system())) {
      case Silent(String silent) -> krontab.add(new Line.Plain(silent));
      case Variable(String name, String value) -> variables.set(number, name, value);
      case Foreign(String reason) -> lost(text, reason);
      case Entry entry -> entry(entry, text);
    }
  }

  private void lost(String text, String reason) {
    krontab.add(new Line.Plain("# not carried over: " + visible(text)));
    findings.add(new Finding(number, Kind.LOST, "", reason));
  }

  private static String visible(String text) {
    var visible = new StringBuilder();
    text.codePoints()
        .forEach(c -> visible.appendCodePoint(VisibleText.isHarmful(c) ? c == '\t' ? c : '?' : c));
    return visible.toString();
  }

  private void entry(Entry written, String text) {
    if (written.fields().equals(List.of(CrontabLine.BOOT))) {
      String name = names.of(written.command());
      add(CrontabLine.BOOT, job(written, name, Schedule.parse(CrontabLine.BOOT)), text);
      return;
    }
    RandomTimes random = RandomTimes.of(written.fields(), written.command());
    Entry entry = new Entry(random.fields(), written.user(), random.command());
    CronTimes times;
    try {
      times = CronTimes.of(entry.fields());
    } catch (CronSyntaxException e) {
      lost(text, String.valueOf(e.getMessage()));
      return;
    }
    String name = names.of(entry.command());
    boolean clocks = CronClocks.concern(times, ZoneId.of(variables.zone()), settings.now());
    String schedule =
        times.fields()
            + " @tz("
            + variables.zone()
            + ")"
            + (clocks ? CronClocks.MODIFIER : "")
            + (times.only().isEmpty() ? "" : " " + times.only());
    Schedule plain = Schedule.parse(schedule);
    String window = random.windowSeconds() > 0 ? window(plain, name, random) : window(plain, name);
    boolean added = add(schedule + window, job(entry, name, plain), text);
    if (added && !times.only().isEmpty()) {
      findings.add(
          new Finding(
              number,
              Kind.DIFFERS,
              name,
              "a day must match both day fields, because one of them begins with a star; "
                  + times.only()
                  + " sees to that, and days that match only one are recorded as unschedulable, of"
                  + " which a daemon-wide failure command is told"));
    }
  }

  private boolean add(String schedule, JobSpec job, String text) {
    String line = KrontabWriter.line(schedule, job);
    @Nullable String problem = problem(line);
    if (problem != null) {
      lost(text, problem);
      return false;
    }
    krontab.add(new Line.Made(schedule, job));
    variables.used();
    return true;
  }

  private JobSpec job(Entry entry, String name, Schedule schedule) {
    CommandInput input = CommandInput.of(entry.command());
    String shell = variables.shell();
    boolean ours = shell.equals(SH) || !input.lines().isEmpty();
    List<String> command =
        !input.lines().isEmpty()
            ? List.of(input.withInput(shell))
            : ours ? List.of(input.command()) : List.of(shell, "-c", input.command());
    @Nullable String user = entry.user() == null ? settings.user() : entry.user();
    return JobSpec.builder("/crontab", name, schedule, command)
        .shell(ours)
        .user(user)
        .cwd(directory(user, name))
        .environment(variables.environment())
        .onFailure(variables.onFailure(!schedule.constraints().isEmpty()))
        .build();
  }

  /** Cron starts commands in the user's home. */
  private @Nullable String directory(@Nullable String user, String name) {
    @Nullable String home = variables.home();
    if (home == null) {
      home = settings.homes().apply(Optional.ofNullable(user));
    }
    if (home == null) {
      findings.add(
          new Finding(
              number,
              Kind.DIFFERS,
              name,
              "cron starts it in the home of "
                  + (user == null ? "its user" : user)
                  + ", which is not known here; without a cwd it starts in krond's directory"));
    }
    return home;
  }

  /** What a crontab left to chance is decided within a window. */
  private String window(Schedule schedule, String name, RandomTimes random) {
    long closest = Closest.seconds(schedule, settings.now());
    long window = Math.min(random.windowSeconds(), closest);
    findings.add(
        new Finding(
            number,
            Kind.NOTE,
            name,
            "%s is a window of %s: krond chooses a second of it, the same after every restart"
                .formatted(random.written(), text(window))));
    return " @win(after," + text(window) + ")";
  }

  /** A window that would reach into the next period is no favour. */
  private String window(Schedule schedule, String name) {
    long spread = settings.spread().toSeconds();
    if (spread == 0) {
      return "";
    }
    long closest = Closest.seconds(schedule, settings.now());
    if (closest >= spread) {
      return " @win(after," + text(spread) + ")";
    }
    findings.add(
        new Finding(
            number,
            Kind.NOTE,
            name,
            "gets no window: it runs every " + text(closest) + ", more often than the spread"));
    return "";
  }

  /** In the largest unit that is whole. */
  private static String text(long seconds) {
    return seconds % 3_600 == 0
        ? seconds / 3_600 + "h"
        : seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  private static @Nullable String problem(String line) {
    for (Diagnostic diagnostic :
        new KrontabParser(KrontabParser.Settings.DEFAULT)
            .parse(Path.of("/crontab"), line.getBytes(UTF_8))
            .diagnostics()) {
      if (diagnostic.isError()) {
        return diagnostic.message();
      }
    }
    return null;
  }
}
