package dev.kron.config;

import dev.kron.cron.Boot;
import dev.kron.job.JobSpec;
import dev.kron.job.JobSpec.Input;
import dev.kron.job.JobSpec.Output;
import dev.kron.job.JobWatch;
import dev.kron.job.RetryPolicy;
import dev.kron.schedule.Schedule;
import dev.kron.text.VisibleText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One entry while it is being read: it collects the fields and then becomes a {@link JobSpec}. */
final class Entry implements EntryInspector.Remarks {
  private final Line line;
  private final Sharing sharing;
  private final boolean strict;
  private final Map<Key, Integer> seen = new EnumMap<>(Key.class);

  /**
   * Keys that are missing because they were misspelt, so that they are not reported as missing as
   * well.
   */
  private Set<Key> misspelt = Set.of();

  private @Nullable String name;
  private int nameStart;
  private @Nullable CommandText command;
  private boolean shell;
  private @Nullable String user;
  private @Nullable String group;
  private @Nullable String cwd;
  private @Nullable String envfile;
  private List<String> environment = List.of();
  private @Nullable String profile;
  private @Nullable Integer umask;
  private @Nullable Duration timeout;
  private Input stdin = Input.Nothing.NOTHING;
  private Output stdout = Output.Inherit.INHERIT;
  private Output stderr = Output.Inherit.INHERIT;
  private @Nullable String description;
  private @Nullable CommandText onFailure;
  private @Nullable RetryFields retry;
  private List<String> then = List.of();
  private int nice;
  private @Nullable WatchFields watch;
  private final @Nullable FleetFields fleet;

  /**
   * @param fleet null: an entry of this machine's own
   */
  Entry(Line line, Sharing sharing, boolean strict, @Nullable FleetFields fleet) {
    this.line = line;
    this.sharing = sharing;
    this.strict = strict;
    this.fleet = fleet;
  }

  /** The name if it is valid, even if the rest of the entry is not. */
  @Nullable String name() {
    return name;
  }

  /** The position of a field, for problems between entries. */
  Chains.Place place(Key key) {
    return new Chains.Place(line, placeOf(key.text));
  }

  /** The offset at which the name's value begins. */
  int nameStart() {
    return nameStart;
  }

  @Override
  public void warn(String field, String message) {
    line.warning(placeOf(field), message);
  }

  @Override
  public void refuse(String field, String message) {
    line.error(placeOf(field), message);
  }

  private int placeOf(String field) {
    @Nullable Key key = Key.at(field, 0, field.length());
    int schedule = FieldScanner.skipBlanks(line.text(), 0);
    return key == null ? schedule : seen.getOrDefault(key, schedule);
  }

  void read(FieldScanner field) {
    @Nullable Key key = field.key();
    if (key == null || (key.isOfFleets() && fleet == null)) {
      line.error(field.keyStart(), unknownKey(field.keyText()));
      @Nullable Key meant = Key.meant(field.keyText());
      if (meant != null) {
        misspelt = misspelt.isEmpty() ? EnumSet.of(meant) : misspelt;
        misspelt.add(meant);
      }
      return;
    }
    @Nullable Integer before = seen.putIfAbsent(key, field.keyStart());
    if (before != null && key != Key.ENV) {
      line.error(
          field.keyStart(),
          "a second " + key.text + "; the first one stands in column " + line.column(before));
      return;
    }
    if (!field.hasValue()) {
      return;
    }
    if (field.isEmpty() && key != Key.DESCRIPTION && key != Key.COMMAND && key != Key.ONFAILURE) {
      line.error(field.keyStart(), key.text + " has no value; no space may stand after the \"=\"");
      return;
    }
    set(key, key == Key.NAME ? field.value() : field.value(sharing), field);
  }

  private static String unknownKey(String key) {
    return key.isEmpty()
        ? "a key is missing before \"=\"; the keys are " + Key.ALL
        : Key.unknown(key);
  }

  private void set(Key key, String value, FieldScanner field) {
    int start = field.valueStart();
    switch (key) {
      case NAME -> {
        @Nullable String problem = Values.nameProblem(value);
        if (problem == null) {
          name = value;
          nameStart = start;
        } else {
          line.error(start, problem);
        }
      }
      case COMMAND -> command = CommandText.of(field, value);
      case ONFAILURE -> onFailure = CommandText.of(field, value);
      case USER -> user = checked(value, Values.accountProblem("user", value), start);
      case GROUP -> group = checked(value, Values.accountProblem("group", value), start);
      case CWD -> cwd = checked(value, Values.directoryProblem(value), start);
      case ENVFILE -> envfile = checked(value, Values.fileProblem("envfile", value), start);
      case ENV -> addVariable(value, start);
      case PROFILE -> profile = checked(value, CredentialProfile.nameProblem(value), start);
      case SHELL -> setShell(value, start);
      case UMASK -> umask = Values.umask(value, line, start);
      case TIMEOUT -> timeout = timeout(value, start);
      case STDOUT -> stdout = sharing.output(Values.output("stdout", value, line, field));
      case STDERR -> stderr = sharing.output(Values.output("stderr", value, line, field));
      case DESCRIPTION -> description = value;
      case THEN -> then = sharing.list(List.of(value.strip().split("[ \\t]+")));
      case STDIN -> stdin = Values.input(value, line, field);
      case NICE -> nice = Values.nice(value, line, start);
      case ON, LOSS -> {
        if (fleet != null) {
          fleet.set(key, value, start);
        }
      }
      case LATE, EXPECT, LEAST, SILENT -> {
        watch = watch == null ? new WatchFields(line) : watch;
        watch.set(key, value, start);
        if (fleet != null && (key == Key.LATE || key == Key.SILENT)) {
          line.error(
              start,
              key.text
                  + " watches over one machine, and another node may run this job; watch over it"
                  + " with the fleet's metrics");
        }
      }
      case RETRIES, RETRYDELAY, RETRYMAX, OKEXIT -> {
        retry = retry == null ? new RetryFields(line) : retry;
        retry.set(key, value, start);
      }
    }
  }

  private @Nullable String checked(String value, @Nullable String problem, int start) {
    if (problem != null) {
      line.error(start, problem);
      return null;
    }
    return value;
  }

  private @Nullable Duration timeout(String value, int start) {
    @Nullable Duration known = sharing.duration(value);
    if (known != null) {
      return known;
    }
    @Nullable Duration read = Values.timeout(value, line, start);
    if (read != null) {
      sharing.rememberDuration(value, read);
    }
    return read;
  }

  private void setShell(String value, int start) {
    shell = value.equals("true");
    if (!shell && !value.equals("false")) {
      line.error(start, "shell is " + VisibleText.quote(value) + "; expected true or false");
    }
  }

  private void addVariable(String value, int start) {
    @Nullable String problem = Values.variableProblem(value);
    if (problem != null) {
      line.error(start, problem);
      return;
    }
    String prefix = value.substring(0, value.indexOf('=') + 1);
    if (environment.stream().anyMatch(other -> other.startsWith(prefix))) {
      line.error(
          start,
          "env sets "
              + VisibleText.quote(prefix.substring(0, prefix.length() - 1))
              + " twice on this line; keep one of them");
      return;
    }
    if (Values.isSetByTheDaemon(prefix)) {
      line.warning(
          start,
          "krond sets " + prefix.substring(0, prefix.length() - 1) + " itself; this has no effect");
    }
    if (environment.isEmpty()) {
      environment = new ArrayList<>(4);
    }
    environment.add(value);
  }

  /** The finished entry; null if something on the line is wrong, all of which is reported then. */
  @Nullable JobSpec finish(@Nullable Schedule schedule, boolean commandMayBeMisplaced) {
    requireField(Key.NAME, "name=nightly-backup");
    if (!commandMayBeMisplaced) {
      requireField(Key.COMMAND, "command=/usr/bin/backup");
    }
    List<String> words = List.of();
    if (command != null) {
      words = command.words("command", shell, strict, line, sharing);
    }
    List<String> failureWords = List.of();
    if (onFailure != null) {
      failureWords = onFailure.words("onfailure", false, strict, line, sharing);
    }
    RetryPolicy retryPolicy =
        retry == null ? RetryPolicy.NONE : sharing.retry(retry.policy(this::placeOf));
    if (fleet != null
        && schedule != null
        && schedule.times() == Boot.INSTANCE
        && !fleet.on().all()) {
      line.error(
          placeOf(Key.ON.text),
          "@boot is a start of one machine, so every node runs it for itself; add on=all");
    }
    if (!line.isValid() || schedule == null || name == null) {
      return null;
    }
    return new JobSpec(
        line.file(),
        line.number(),
        name,
        schedule,
        words,
        shell,
        user,
        group,
        cwd,
        envfile,
        sharing.list(environment),
        profile,
        umask,
        timeout,
        stdin,
        stdout,
        stderr,
        description,
        failureWords,
        retryPolicy,
        then,
        nice,
        watch == null ? JobWatch.NONE : watch.watch(),
        fleet == null ? null : fleet.rules());
  }

  private void requireField(Key key, String example) {
    if (!seen.containsKey(key) && !misspelt.contains(key)) {
      line.error(
          line.text().stripTrailing().length(),
          key.text + " is missing; every entry needs one, such as " + example);
    }
  }
}
