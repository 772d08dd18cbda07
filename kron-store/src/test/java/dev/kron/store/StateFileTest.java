package dev.kron.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cron.CronCalendar;
import dev.kron.job.ActiveRun;
import dev.kron.job.HistoryEntry;
import dev.kron.job.JobState;
import dev.kron.job.Links;
import dev.kron.job.Outcome;
import dev.kron.job.Reason;
import dev.kron.job.Reason.Cause;
import dev.kron.job.Retry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of a state file. */
final class StateFileTest {
  private static final String RUN = "01hzzzzzzz0000000000000001";

  static String write(JobState state, HistoryEntry... entries) {
    return rewrite(null, 100, state, entries);
  }

  private static String rewrite(
      @org.jspecify.annotations.Nullable String before,
      int limit,
      JobState state,
      HistoryEntry... entries) {
    Kept kept = null;
    if (before != null) {
      kept = new Kept(before.getBytes(UTF_8));
      read(before, kept);
    }
    StateWriter file = StateWriter.write(new StateChange(state, List.of(entries)), kept, limit);
    return new String(file.bytes(), 0, file.length(), UTF_8);
  }

  static JobState read(String text) {
    return read(text, new Kept(text.getBytes(UTF_8)));
  }

  private static JobState read(String text, Kept kept) {
    try {
      return StateReader.read(kept.bytes, kept.bytes.length, kept);
    } catch (MalformedStateException | UnsupportedVersionException e) {
      throw new AssertionError(text, e);
    }
  }

  private static String why(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    return assertThrows(
            MalformedStateException.class, () -> StateReader.read(bytes, bytes.length, null))
        .getMessage();
  }

  @Test
  void writesTheSpecifiedMembersInTheirOrderAndItsOwnAfterThem() {
    JobState state =
        Samples.withRuns(Samples.state(Samples.IDENTITY), Samples.run(RUN, Samples.NOMINAL + 60));
    assertEquals(
        """
        {"Version":"1",
        "Identity":"/etc/krond.d/backup.kron:nightly",
        "LastHandledPeriodID":"2026-03-01T00:00:00Z",
        "LastOutcome":"executed",
        "LastChosenTime":"2026-03-01T00:02:17Z",
        "LastNominalTime":"2026-03-01T00:00:00Z",
        "ActiveExecution":{"PeriodID":"2026-03-01T00:01:00Z","PID":0,\
        "StartedAt":"2026-03-01T00:01:07.250Z","ChosenTime":"2026-03-01T00:01:05Z",\
        "RunID":"01hzzzzzzz0000000000000001","BootID":"6f0c0f3e-8f0f-4c43-8a3c-0d7c3a6f2f11",\
        "StartTicks":0,"Phase":"intended","DueTime":"2026-03-01T00:01:07Z"},
        "History":[
        {"PeriodID":"2026-03-01T00:01:00Z","Outcome":"executed",\
        "NominalTime":"2026-03-01T00:01:00Z","ChosenTime":"2026-03-01T00:01:03Z",\
        "CompletedAt":"2026-03-01T00:01:04.500Z","ExitCode":1,\
        "RunID":"00000000000000000000000001","StartedAt":"2026-03-01T00:01:03.010Z",\
        "Success":false,"Attempt":1},
        {"PeriodID":"2026-03-01T00:02:00Z","Outcome":"skipped",\
        "NominalTime":"2026-03-01T00:02:00Z","ChosenTime":"2026-03-01T00:02:03Z",\
        "CompletedAt":"2026-03-01T00:02:03Z","ExitCode":null,"Reason":"a run is still active",\
        "Cause":"still-active"}],
        "ScheduleFingerprint":"f-1",
        "Since":"2026-02-28T00:00:00Z",
        "Suspended":false}
        """,
        write(state, Samples.ended(1), Samples.skipped(2)));
  }

  @Test
  void readsBackEveryMember() {
    ActiveRun started =
        ActiveRun.builder(RUN)
            .chosen(Samples.CHOSEN)
            .due(Samples.CHOSEN)
            .phase(ActiveRun.Phase.STARTED)
            .ending(ActiveRun.Ending.TIMED_OUT)
            .bootId(Samples.BOOT)
            .pid(4711)
            .startTicks(123_456_789L)
            .startedAt(Samples.CHOSEN * 1000 + 1)
            .endedBy("zoë")
            .build();
    JobState state =
        JobState.builder("/home/zoë/\"odd\\name\"\u0001:\uD83D\uDE80")
            .lastHandled(Samples.NOMINAL)
            .lastOutcome(Outcome.UNSCHEDULABLE)
            .active(List.of(Samples.run("w", Samples.NOMINAL), Samples.run("x", 0), started))
            .fingerprint("abc")
            .since(Samples.NOMINAL)
            .pastLost(true)
            .suspended(true)
            .begunAhead(List.of(Samples.NOMINAL + 60, Samples.NOMINAL + 3600))
            .links(new Links(List.of(new Links.Owed("/a:b", RUN, 1_700)), List.of(RUN)))
            .build();
    assertEquals(state, read(write(state)));
    JobState unseen = JobState.unseen("new");
    assertEquals(unseen, read(write(unseen)));
  }

  /** Period 00:01 has failed, and its third attempt waits. */
  static JobState retrying(String identity) {
    long nominal = Samples.NOMINAL + 60;
    var failed =
        HistoryEntry.builder(nominal, Outcome.EXECUTED)
            .chosen(nominal + 3)
            .startedAt(nominal * 1000 + 30_000)
            .completedAt(nominal * 1000 + 31_000)
            .exitCode(7)
            .runId(RUN)
            .success(false)
            .attempt(2)
            .build();
    JobState state = Samples.state(identity);
    return JobState.builder(identity)
        .lastHandled(nominal)
        .lastOutcome(Outcome.EXECUTED)
        .lastChosen(nominal + 3)
        .fingerprint(state.fingerprint())
        .since(state.since())
        .retry(new Retry(failed, nominal * 1000 + 99_500, state.fingerprint()))
        .build();
  }

  @Test
  void anAttemptThatWaitsIsInAFileThatOlderDaemonsRefuse() {
    JobState state = retrying(Samples.IDENTITY);
    String text = write(state);
    assertTrue(text.startsWith("{\"Version\":\"1.1\","), text);
    assertTrue(
        text.contains(
            """
            "Retry":{"PeriodID":"2026-03-01T00:01:00Z","Cause":"","Attempt":3,\
            "NotBefore":"2026-03-01T00:02:39.500Z","ScheduleFingerprint":"f-1","Failed":{\
            """),
        text);
    assertEquals(state, read(text));
  }

  @Test
  void aLaterAttemptThatRunsIsInAFileThatOlderDaemonsRefuse() {
    ActiveRun first = Samples.run(RUN, Samples.NOMINAL);
    var second = first.toBuilder().attempt(2).build();
    JobState state = Samples.withRuns(Samples.state(Samples.IDENTITY), second);
    String text = write(state);
    assertTrue(text.startsWith("{\"Version\":\"1.1\","), text);
    assertEquals(state, read(text));
    assertTrue(write(Samples.state(Samples.IDENTITY)).startsWith("{\"Version\":\"1\","));
  }

  @Test
  void successIsAsItWasWrittenWhateverTheExitCode() throws MalformedStateException {
    for (boolean success : new boolean[] {true, false}) {
      var entry =
          HistoryEntry.builder(60, Outcome.EXECUTED)
              .chosen(63)
              .startedAt(64)
              .completedAt(70)
              .exitCode(3)
              .runId(RUN)
              .success(success)
              .attempt(4)
              .build();
      byte[] bytes = StateWriter.entry(entry);
      assertEquals(entry, HistoryReader.read(bytes, new Kept.Slice(0, bytes.length)));
    }
  }

  @Test
  void anEntryOfAChainHasItsCauseAndItsReason() throws MalformedStateException {
    var entry =
        HistoryEntry.builder(CronCalendar.NONE, Outcome.SKIPPED)
            .chosen(63)
            .completedAt(70)
            .why(Reason.of(Cause.STILL_ACTIVE, "a run is still active"))
            .runId(RUN)
            .success(false)
            .cause(RUN)
            .build();
    byte[] bytes = StateWriter.entry(entry);
    assertTrue(new String(bytes, UTF_8).contains("\"Cause\":\"" + RUN + "\""));
    assertEquals(entry, HistoryReader.read(bytes, new Kept.Slice(0, bytes.length)));
  }

  @Test
  void bootsAreInAFileThatOlderDaemonsRefuse() throws MalformedStateException {
    JobState handled =
        JobState.arrived(Samples.IDENTITY, "x", 1, false).toBuilder()
            .lastHandled(Samples.NOMINAL)
            .lastChosen(Samples.NOMINAL + 3)
            .lastOutcome(Outcome.EXECUTED)
            .boots(List.of("boot:a.1", "boot:b.1"))
            .build();
    JobState active =
        JobState.arrived(Samples.IDENTITY, "x", 1, false)
            .withActive(List.of(Samples.run(RUN, 60).toBuilder().bootPeriod("boot:a.1").build()));
    for (JobState state : List.of(handled, active)) {
      assertTrue(write(state).startsWith("{\"Version\":\"1.2\","), write(state));
      assertEquals(state, read(write(state)));
    }
    assertTrue(write(handled).contains("\"LastHandledPeriodID\":\"boot:b.1\""));
    HistoryEntry entry =
        HistoryEntry.builder(Samples.NOMINAL, Outcome.EXECUTED).bootPeriod("boot:a.1").build();
    byte[] bytes = StateWriter.entry(entry);
    assertEquals(entry, HistoryReader.read(bytes, new Kept.Slice(0, bytes.length)));
  }

  @Test
  void linksAreInAFileThatOlderDaemonsRefuse() {
    JobState plain = Samples.state(Samples.IDENTITY);
    for (Links links :
        List.of(
            new Links(List.of(new Links.Owed("/a:b", RUN, 1_700)), List.of()),
            new Links(List.of(), List.of(RUN)))) {
      var state =
          plain.toBuilder()
              .active(List.of())
              .pastLost(false)
              .suspended(false)
              .begunAhead(List.of())
              .retry(null)
              .links(links)
              .build();
      assertTrue(write(state).startsWith("{\"Version\":\"1.1\","));
      assertEquals(state, read(write(state)));
    }
  }

  @Test
  void anEntryOfAnOlderDaemonSucceededIfItEnded0ByItself() throws MalformedStateException {
    assertTrue(entry("\"ExitCode\":0").success());
    assertFalse(entry("\"ExitCode\":1").success());
    assertFalse(entry("\"ExitCode\":null").success());
    assertFalse(entry("\"ExitCode\":0,\"Reason\":\"timed out\"").success());
    assertEquals(1, entry("\"ExitCode\":0").attempt());
  }

  private static HistoryEntry entry(String members) throws MalformedStateException {
    byte[] bytes = ("{\"Outcome\":\"executed\"," + members + "}").getBytes(UTF_8);
    return HistoryReader.read(bytes, new Kept.Slice(0, bytes.length));
  }

  @Test
  void readsAFileThatHasTheSpecifiedMembersOnly() {
    JobState state =
        read(
            """
            {
              "Version": "1",
              "Identity": "/etc/krond.d/a:b",
              "LastHandledPeriodID": "2026-03-01T00:00:00Z",
              "LastOutcome": "missed",
              "LastChosenTime": "2026-03-01T00:00:07Z",
              "LastNominalTime": "2026-03-01T00:00:00Z",
              "ActiveExecution": {
                "PeriodID": "2026-03-01T00:01:00Z",
                "PID": 17,
                "StartedAt": "2026-03-01T00:01:00.123456789Z",
                "ChosenTime": "2026-03-01T00:01:00Z"
              },
              "History": []
            }
            """);
    assertEquals(Outcome.MISSED, state.lastOutcome());
    ActiveRun run = state.active().getFirst();
    assertEquals(17, run.pid());
    assertEquals("", run.bootId(), "nothing can be proved about it");
    assertEquals(ActiveRun.Phase.STARTED, run.phase(), "it is never started again");
    assertEquals(123, run.startedAt() % 1000);
    assertEquals(CronCalendar.NONE, state.since());
  }

  @Test
  void readsBackWhyAPeriodWasMissed() throws MalformedStateException {
    var late = new Reason(Cause.LATE, 75, 60, "75 s late");
    var missed =
        HistoryEntry.builder(60, Outcome.MISSED).chosen(63).completedAt(70_000).why(late).build();
    byte[] bytes = StateWriter.entry(missed);
    assertEquals(missed, HistoryReader.read(bytes, new Kept.Slice(0, bytes.length)));
    String text = new String(bytes, UTF_8);
    assertTrue(text.contains("\"Cause\":\"late\",\"LateSeconds\":75,\"DeadlineSeconds\":60"), text);
  }

  @Test
  void readsWhyInEntriesOfOlderDaemonsFromTheirSentence() throws MalformedStateException {
    assertEquals(
        new Reason(
            Cause.LATE, 75, 60, "75 s late when the daemon was there again, the deadline is 60 s"),
        whyOfOlder(
            "\"Reason\":\"75 s late when the daemon was there again, the deadline is 60 s\""));
    assertEquals(Reason.of(Cause.TIMED_OUT, "timed out"), whyOfOlder("\"Reason\":\"timed out\""));
    assertEquals(
        Reason.of(Cause.NOT_STARTED, "no such directory"),
        whyOfOlder("\"Reason\":\"no such directory\",\"Stage\":\"cwd\""));
  }

  private static @Nullable Reason whyOfOlder(String members) throws MalformedStateException {
    byte[] bytes = ("{\"Outcome\":\"executed\"," + members + "}").getBytes(UTF_8);
    return HistoryReader.read(bytes, new Kept.Slice(0, bytes.length)).why();
  }

  @Test
  void keepsWhatItDoesNotUnderstand() {
    JobState state =
        Samples.withRuns(Samples.state(Samples.IDENTITY), Samples.run(RUN, Samples.NOMINAL));
    String before =
        write(state, Samples.ended(1))
            .replace("\"ExitCode\":1", "\"Colour\" : [1, {\"deep\": null}],\"ExitCode\":1")
            .replace("\"PID\":0", "\"Cgroup\":\"/kron/\\u0041\",\"PID\":0")
            .replace("\"Suspended\"", "\"Tags\": {\"a\": -1.5e+3},\n\"Suspended\"");
    String after = rewrite(before, 100, state, Samples.ended(2));
    assertTrue(after.contains("\"Colour\" : [1, {\"deep\": null}]"), after);
    assertTrue(after.contains("\"Cgroup\":\"/kron/\\u0041\""), after);
    assertTrue(after.endsWith("\"Tags\": {\"a\": -1.5e+3}}\n"), after);
    assertEquals(after, rewrite(after, 100, state, Samples.ended(2)), "and again");
    JobState ended = Samples.state(Samples.IDENTITY);
    assertTrue(!rewrite(after, 100, ended).contains("Cgroup"), "went with its run");
  }

  @Test
  void dropsTheOldestEntriesFirstAndNamesTheirRuns() {
    JobState state = Samples.state(Samples.IDENTITY);
    String text = write(state);
    for (int i = 1; i <= 5; i++) {
      text = rewrite(text, 3, state, Samples.ended(i));
    }
    Kept kept = new Kept(text.getBytes(UTF_8));
    read(text, kept);
    assertEquals(List.of(Samples.ended(3), Samples.ended(4), Samples.ended(5)), history(kept));
    StateChange two = new StateChange(state, List.of(Samples.ended(6), Samples.manual(RUN)));
    StateWriter file = StateWriter.write(two, kept, 3);
    assertEquals(
        List.of("00000000000000000000000003", "00000000000000000000000004"), file.droppedRuns());
  }

  @Test
  void theLastSuccessIsKnownWhenItIsInTheHistoryNoMore() throws Exception {
    JobState state = Samples.state(Samples.IDENTITY);
    HistoryEntry success = Samples.ended(3);
    String text = write(state, Samples.ended(0), success);
    for (int i : new int[] {4, 5, 7}) {
      text = rewrite(text, 3, state, Samples.ended(i));
    }
    Kept kept = new Kept(text.getBytes(UTF_8));
    read(text, kept);
    assertFalse(history(kept).stream().anyMatch(HistoryEntry::success), text);
    assertEquals(success.completedAt(), kept.earlierSuccess);
    assertEquals(
        success.completedAt(),
        new JobStates.Told(history(kept), kept.earlierSuccess).lastSuccess());
  }

  @Test
  void neverLetsAHistoryOutgrowWhatCanBeReadBack() {
    JobState state = Samples.state(Samples.IDENTITY);
    List<HistoryEntry> wordy = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      wordy.add(
          HistoryEntry.builder(i * 60L, Outcome.MISSED)
              .chosen(0)
              .completedAt(i)
              .why(Reason.of(Cause.UNKNOWN, "x".repeat(1 << 20)))
              .build());
    }
    StateWriter file = StateWriter.write(new StateChange(state, wordy), null, 1_000_000);
    assertTrue(file.length() < JobStates.LIMIT_BYTES / 2 + 1000);
    assertTrue(file.length() > JobStates.LIMIT_BYTES / 2 - (2 << 20));
  }

  @Test
  void addsAnEntryOnceHoweverOftenACommitIsRepeated() {
    JobState state = Samples.state(Samples.IDENTITY);
    String once = write(state, Samples.ended(1), Samples.skipped(2));
    assertEquals(once, rewrite(once, 100, state, Samples.ended(1), Samples.skipped(2)));
  }

  private static List<HistoryEntry> history(Kept kept) {
    List<HistoryEntry> entries = new ArrayList<>();
    for (Kept.Slice slice : kept.history) {
      try {
        entries.add(HistoryReader.read(kept.bytes, slice));
      } catch (MalformedStateException e) {
        throw new AssertionError(e);
      }
    }
    return entries;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Version",
        "Identity",
        "LastHandledPeriodID",
        "LastOutcome",
        "LastChosenTime",
        "LastNominalTime"
      })
  void refusesAFileWithoutAMemberThatSaysWhatWasHandled(String member) {
    String text = write(Samples.state("/a:b")).replace("\"" + member + "\"", "\"Other\"");
    assertTrue(why(text).startsWith(member), why(text));
  }

  @Test
  void refusesWhatContradictsItself() {
    String text = write(Samples.state("/a:b"));
    assertEquals("'done' is not an outcome", why(text.replace("executed", "done")));
    assertEquals(
        "LastOutcome and LastHandledPeriodID contradict each other",
        why(text.replace("executed", "")));
    assertEquals(
        "LastNominalTime is not that of LastHandledPeriodID",
        why(text.replace("NominalTime\":\"2026-03-01", "NominalTime\":\"2026-03-02")));
    assertEquals("Identity stands twice", why(text.replace("{", "{\"Identity\":\"x\",")));
    assertEquals(
        "'2026-02-30T00:00:00Z' is not an RFC 3339 time in UTC",
        why(text.replace("2026-03-01T00:00:00Z", "2026-02-30T00:00:00Z")));
    String running = write(Samples.withRuns(Samples.state("/a:b"), Samples.run(RUN, 0)));
    assertTrue(why(running.replace("\"PID\":0", "\"PID\":-1")).startsWith("PID and"));
    assertTrue(why(running.replace("\"PID\":0", "\"PID\":99999999999")).startsWith("a 32-bit"));
    assertTrue(why(running.replace("intended", "running")).contains("is not a Phase"));
    assertTrue(why(text.replace("[]", "{}")).startsWith("'[' expected"));
    assertTrue(why(text.replace("[]", "[1]")).startsWith("a History entry expected"));
  }

  @Test
  void readsANumberForAVersionAndTimesWithFractions() {
    JobState state = Samples.state("/a:b");
    String text = write(state);
    String other =
        text.replace("\"Version\":\"1\"", "\"Version\": 1").replace(":00Z\"", ":00.250Z\"");
    assertNotEquals(text, other);
    assertEquals(state, read(other));
  }

  @Test
  void tellsAnotherVersionFromDamage() {
    String other = "{\"Identity\":7,\"New\":[],\"Version\":\"2\"}";
    byte[] bytes = other.getBytes(UTF_8);
    assertEquals(
        "2",
        assertThrows(
                UnsupportedVersionException.class,
                () -> StateReader.read(bytes, bytes.length, null))
            .version());
    assertFalse(why("{\"Version\":[]}").isEmpty());
    assertTrue(why("{\"Version\":\"two\"}").contains("not a version"));
  }

  @Test
  void refusesToWriteWhatItCouldNotReadBack() {
    JobState state = Samples.state("/a:b");
    HistoryEntry farAway =
        HistoryEntry.builder(Long.MAX_VALUE / 4, Outcome.MISSED).chosen(0).completedAt(0).build();
    assertThrows(IllegalArgumentException.class, () -> new StateChange(state, List.of(farAway)));
    JobState contradiction =
        JobState.builder("/a:b").lastHandled(0).lastChosen(0).fingerprint("f").since(0).build();
    assertThrows(IllegalArgumentException.class, () -> new StateChange(contradiction, List.of()));
  }
}
