package dev.kron.store;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.JobState;
import dev.kron.job.Links;
import dev.kron.job.Outcome;
import dev.kron.job.Retry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The reader of a job's state file. The history is only checked to be an array, and skipped: no
 * decision depends on it.
 */
final class StateReader {
  /** The version of files that daemons without retries can read. */
  static final String PLAIN_VERSION = "1";

  /**
   * The version of files with members that those daemons do not know; they refuse such a file and
   * leave it unchanged.
   */
  static final String VERSION = "1.1";

  /**
   * The version of files with periods that are boots, which earlier daemons would take for damage.
   */
  static final String BOOT_VERSION = "1.2";

  private final JsonCursor cursor;
  private final @Nullable Kept kept;
  private final Set<Field> seen = EnumSet.noneOf(Field.class);

  private String identity = "";
  private long lastHandled = CronCalendar.NONE;
  private @Nullable Outcome lastOutcome;
  private long lastChosen = CronCalendar.NONE;
  private long lastNominal = CronCalendar.NONE;
  private @Nullable ActiveRun active;
  private List<ActiveRun> others = List.of();
  private String fingerprint = "";
  private long since = CronCalendar.NONE;
  private boolean pastLost;
  private boolean suspended;
  private List<Long> begunAhead = List.of();
  private @Nullable Retry retry;
  private Kept.@Nullable Slice notices;
  private Links links = Links.NONE;
  private long earlierSuccess;
  private @Nullable String lastBoot;
  private List<String> earlierBoots = List.of();

  private StateReader(byte[] bytes, int length, @Nullable Kept kept) {
    this.cursor = new JsonCursor(bytes, 0, length);
    this.kept = kept;
  }

  /**
   * Reads a state.
   *
   * @param kept collects what the next write must carry over; null if no write follows
   */
  static JobState read(byte[] bytes, int length, @Nullable Kept kept)
      throws MalformedStateException, UnsupportedVersionException {
    return read(bytes, length, kept, kept);
  }

  private static JobState read(
      byte[] bytes, int length, @Nullable Kept kept, @Nullable Kept notices)
      throws MalformedStateException, UnsupportedVersionException {
    try {
      var reader = new StateReader(bytes, length, kept);
      JobState state = reader.read();
      if (notices != null) {
        notices.notices = reader.notices;
        notices.earlierSuccess = reader.earlierSuccess;
      }
      return state;
    } catch (MalformedStateException e) {
      // A file of another version may look malformed to this one, so its version is checked first.
      String version = version(bytes, length);
      if (!isKnown(version)) {
        throw new UnsupportedVersionException(version);
      }
      throw e;
    }
  }

  static boolean isKnown(String version) {
    return version.equals(PLAIN_VERSION) || version.equals(VERSION) || version.equals(BOOT_VERSION);
  }

  /** A state, and the job's notification state as JSON, null if there is none. */
  record WithNotices(JobState state, @Nullable String notices) {}

  /** Reads what a start needs. */
  static WithNotices readWithNotices(byte[] bytes, int length)
      throws MalformedStateException, UnsupportedVersionException {
    Kept found = new Kept(bytes);
    var state = read(bytes, length, null, found);
    Kept.Slice notices = found.notices;
    return new WithNotices(
        state,
        notices == null
            ? null
            : new String(
                bytes, notices.start(), notices.end() - notices.start(), StandardCharsets.UTF_8));
  }

  /** The version of any well-formed state file, whatever else it contains. */
  static String version(byte[] bytes, int length) throws MalformedStateException {
    JsonCursor cursor = new JsonCursor(bytes, 0, length);
    String version = null;
    cursor.expect('{');
    if (!cursor.take('}')) {
      do {
        cursor.readKey();
        if (cursor.keyIs("Version")) {
          version = readVersion(cursor);
        } else {
          cursor.skipValue();
        }
      } while (cursor.take(','));
      cursor.expect('}');
    }
    cursor.expectEnd();
    if (version == null || !version.matches("[0-9]{1,9}(\\.[0-9]{1,9}){0,2}")) {
      throw new MalformedStateException("Version is missing or not a version");
    }
    return version;
  }

  private JobState read() throws MalformedStateException {
    cursor.expect('{');
    if (!cursor.take('}')) {
      do {
        cursor.readKey();
        member();
      } while (cursor.take(','));
      cursor.expect('}');
    }
    cursor.expectEnd();
    for (Field field : Field.REQUIRED) {
      if (!seen.contains(field)) {
        throw new MalformedStateException(field + " is missing");
      }
    }
    return state();
  }

  private JobState state() throws MalformedStateException {
    List<String> boots = earlierBoots;
    if (lastBoot != null) {
      lastHandled = lastNominal;
      boots = new ArrayList<>(earlierBoots);
      boots.add(lastBoot);
    }
    if ((lastOutcome == null) != (lastHandled == CronCalendar.NONE)) {
      throw new MalformedStateException(
          "LastOutcome and LastHandledPeriodID contradict each other");
    }
    if (lastNominal != lastHandled) {
      throw new MalformedStateException("LastNominalTime is not that of LastHandledPeriodID");
    }
    List<ActiveRun> runs = others;
    if (active != null) {
      runs = new ArrayList<>(others);
      runs.add(active);
    } else if (!others.isEmpty()) {
      throw new MalformedStateException("OtherActive without ActiveExecution");
    }
    return JobState.builder(identity)
        .lastHandled(lastHandled)
        .lastOutcome(lastOutcome)
        .lastChosen(lastChosen)
        .active(runs)
        .fingerprint(fingerprint)
        .since(since)
        .pastLost(pastLost)
        .suspended(suspended)
        .begunAhead(begunAhead)
        .retry(retry)
        .boots(boots)
        .links(links)
        .build();
  }

  private void member() throws MalformedStateException {
    Field field = Field.of(cursor);
    if (field == null) {
      int start = cursor.keyStart();
      cursor.skipValue();
      if (kept != null) {
        kept.members.add(new Kept.Slice(start, cursor.position()));
      }
      return;
    }
    if (!seen.add(field)) {
      throw new MalformedStateException(field + " stands twice");
    }
    switch (field) {
      case Version -> {
        String version = readVersion(cursor);
        if (!isKnown(version)) {
          throw new MalformedStateException("'" + version + "' is not version " + VERSION);
        }
      }
      case Identity -> identity = cursor.readString();
      case LastHandledPeriodID -> {
        lastBoot = cursor.takeString(BootRecord.PREFIX);
        lastHandled = lastBoot == null ? readSecond(cursor) : CronCalendar.NONE;
      }
      case EarlierBoots -> earlierBoots = boots();
      case LastOutcome -> {
        String word = cursor.readString();
        lastOutcome = word.isEmpty() ? null : RunWords.outcome(word);
      }
      case LastChosenTime -> lastChosen = readSecond(cursor);
      case LastNominalTime -> lastNominal = readSecond(cursor);
      case ActiveExecution -> active = cursor.takeNull() ? null : RunReader.read(cursor, kept);
      case History -> history();
      case OtherActive -> others = others();
      case ScheduleFingerprint -> {
        fingerprint = cursor.readString();
        if (!Arrival.isFingerprint(fingerprint)) {
          throw cursor.malformed("not a ScheduleFingerprint");
        }
      }
      case Since -> since = readSecond(cursor);
      case PastLost -> pastLost = cursor.readBoolean();
      case EarlierSuccess -> earlierSuccess = HistoryReader.millis(cursor);
      case BegunAhead -> begunAhead = seconds();
      case OwedLinks -> links = new Links(LinksReader.owed(cursor), links.taken());
      case TakenLinks -> links = new Links(links.owed(), LinksReader.taken(cursor));
      case Retry -> retry = cursor.takeNull() ? null : RetryReader.read(cursor);
      case Suspended -> suspended = cursor.readBoolean();
      case Notices -> {
        var _ = cursor.peek();
        int start = cursor.position();
        cursor.skipValue();
        notices = new Kept.Slice(start, cursor.position());
      }
    }
  }

  private List<String> boots() throws MalformedStateException {
    List<String> boots = new ArrayList<>();
    cursor.expect('[');
    if (!cursor.take(']')) {
      do {
        boots.add(cursor.readString());
      } while (cursor.take(','));
      cursor.expect(']');
    }
    return boots;
  }

  private List<Long> seconds() throws MalformedStateException {
    List<Long> seconds = new ArrayList<>();
    cursor.expect('[');
    if (!cursor.take(']')) {
      do {
        seconds.add(readSecond(cursor));
      } while (cursor.take(','));
      cursor.expect(']');
    }
    return seconds;
  }

  private List<ActiveRun> others() throws MalformedStateException {
    if (cursor.takeNull()) {
      return List.of();
    }
    List<ActiveRun> runs = new ArrayList<>();
    cursor.expect('[');
    if (!cursor.take(']')) {
      do {
        runs.add(RunReader.read(cursor, kept));
      } while (cursor.take(','));
      cursor.expect(']');
    }
    return runs;
  }

  private void history() throws MalformedStateException {
    if (cursor.takeNull()) {
      return;
    }
    cursor.expect('[');
    if (!cursor.take(']')) {
      do {
        if (cursor.peek() != '{') {
          throw cursor.malformed("a History entry expected");
        }
        int start = cursor.position();
        cursor.skipValue();
        if (kept != null) {
          kept.history.add(new Kept.Slice(start, cursor.position()));
        }
      } while (cursor.take(','));
      cursor.expect(']');
    }
  }

  /** Reads a second; {@link CronCalendar#NONE} for an empty string. */
  static long readSecond(JsonCursor cursor) throws MalformedStateException {
    long millis = cursor.readMillis();
    if (millis == Timestamps.EMPTY) {
      return CronCalendar.NONE;
    }
    return Math.floorDiv(millis, 1000L); // others write fractions; they mean nothing here
  }

  /** Reads the version as text, even if it is written as a number. */
  private static String readVersion(JsonCursor cursor) throws MalformedStateException {
    return cursor.peek() == '"' ? cursor.readString() : String.valueOf(cursor.readInt());
  }

  /** The names in the file, in the order in which they are written. */
  private enum Field {
    Version,
    Identity,
    LastHandledPeriodID,
    LastOutcome,
    LastChosenTime,
    LastNominalTime,
    ActiveExecution,
    History,
    OtherActive,
    ScheduleFingerprint,
    Since,
    PastLost,
    EarlierSuccess,
    BegunAhead,
    EarlierBoots,
    Retry,
    OwedLinks,
    TakenLinks,
    Suspended,
    Notices;

    /**
     * The members without which nobody can tell which periods were handled; their absence must not
     * mean "none".
     */
    static final List<Field> REQUIRED =
        List.of(
            Version, Identity, LastHandledPeriodID, LastOutcome, LastChosenTime, LastNominalTime);

    private static final Field[] ALL = values();

    static @Nullable Field of(JsonCursor cursor) {
      for (Field field : ALL) {
        if (cursor.keyIs(field.name())) {
          return field;
        }
      }
      return null;
    }
  }
}
