package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.job.ActiveRun;
import dev.kron.job.JobState;
import dev.kron.store.DiskException.Reason;
import dev.kron.store.FaultyDisk.Fault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** States that were written before their time. */
final class EarlyStatesTest {
  private static final int JOBS = 5;

  @TempDir Path temporary;
  private final FaultyDisk disk = new FaultyDisk(new LinuxDisk());
  private @Nullable StateDirectory opened;
  private Path directory = Path.of("");

  @BeforeEach
  void open() throws Exception {
    directory = temporary.resolve("state");
    opened = StateDirectory.open(directory, disk, Samples.settings(), "pid 1");
    for (CommitResult result :
        jobs().commit(changes(i -> new StateChange(before(i), List.of(Samples.ended(i)))))) {
      assertInstanceOf(CommitResult.Durable.class, result);
    }
  }

  @AfterEach
  void close() {
    store().close();
  }

  private StateDirectory store() {
    StateDirectory store = opened;
    if (store == null) {
      throw new IllegalStateException("not opened");
    }
    return store;
  }

  private JobStates jobs() {
    return store().jobs();
  }

  private interface Change {
    StateChange of(int job);
  }

  private static List<StateChange> changes(Change change) {
    return IntStream.range(0, JOBS).mapToObj(change::of).toList();
  }

  private static String identity(int job) {
    return "/a:job" + job;
  }

  private static JobState before(int job) {
    return Samples.state(identity(job));
  }

  /** With a run whose start is so many milliseconds after the expected one. */
  private static JobState intended(int job, long later) {
    ActiveRun run = Samples.run(Samples.runId(job), Samples.NOMINAL + 60);
    return Samples.withRuns(
        before(job), run.toBuilder().startedAt(run.startedAt() + later).build());
  }

  private static StateChange change(int job) {
    return new StateChange(intended(job, 17), List.of());
  }

  private static List<JobState> expected() {
    return IntStream.range(0, JOBS).mapToObj(job -> intended(job, 0)).toList();
  }

  private List<Path> temporaryFiles() throws IOException {
    try (var files = Files.list(directory)) {
      return files.filter(file -> AtomicFiles.isTemporary(file.getFileName().toString())).toList();
    }
  }

  private Path file(int job) {
    return directory.resolve(JobStates.fileName(identity(job)));
  }

  private JobState found(int job) throws DiskException {
    return jobs().find(identity(job)).orElseThrow();
  }

  private void assertDurable(List<CommitResult> results) throws IOException {
    results.forEach(result -> assertInstanceOf(CommitResult.Durable.class, result));
    assertEquals(List.of(), temporaryFiles());
  }

  @Test
  void onlyGetTheirNamesAndOneOfThemIsWrittenAnew() throws Exception {
    jobs().expect(expected());
    assertEquals(JOBS, temporaryFiles().size());
    assertEquals(before(1), found(1), "nothing of it counts yet");
    int syncs = disk.syncs.get();
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
    assertEquals(1, disk.syncs.get() - syncs, "of one file, which shows that there is room");
    assertEquals(intended(0, 17), found(0));
    for (int job = 1; job < JOBS; job++) {
      assertEquals(intended(job, 0), found(job), "its start is told by the next write");
      assertEquals(List.of(Samples.ended(job)), jobs().history(identity(job)));
    }
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
    assertEquals(intended(3, 17), found(3));
  }

  @Test
  void anotherChangeIsWrittenAsIfNothingHadBeenExpected() throws Exception {
    jobs().expect(expected());
    assertDurable(
        jobs()
            .commit(
                List.of(
                    change(0),
                    new StateChange(before(1).toBuilder().suspended(true).build(), List.of()),
                    new StateChange(intended(2, 17), List.of(Samples.ended(7))),
                    new StateChange(intended(3, 17), List.of(), "{\"owed\":[]}"),
                    change(4))));
    assertTrue(found(1).suspended());
    assertEquals(List.of(Samples.ended(2), Samples.ended(7)), jobs().history(identity(2)));
    assertEquals(intended(2, 17), found(2));
    assertEquals(intended(3, 17), found(3));
    assertTrue(Files.readString(file(3)).contains("owed"));
  }

  @Test
  void aFileThatChangedMeanwhileKeepsItsHistory() throws Exception {
    jobs().expect(expected());
    String text = Files.readString(file(2));
    Files.writeString(file(2), text.replaceFirst("\\{", "{\"later\":\"version\","));
    Files.writeString(file(3), "rotten");
    Files.delete(file(4));
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
    assertTrue(Files.readString(file(2)).contains("\"later\":\"version\""));
    assertEquals(List.of(Samples.ended(2)), jobs().history(identity(2)));
    for (int job = 2; job < JOBS; job++) {
      assertEquals(intended(job, 17), found(job));
    }
  }

  @Test
  void aTemporaryFileThatIsGoneIsNotMissed() throws Exception {
    jobs().expect(expected());
    for (Path file : temporaryFiles()) {
      Files.delete(file);
    }
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
    assertEquals(intended(4, 17), found(4));
  }

  /** Where no room is left, none may be intended: its run would find no room for its claim. */
  @Test
  void aDiskThatIsFullByThenTakesNoneOfThem() throws Exception {
    jobs().expect(expected());
    disk.failing(Fault.of("write", Reason.NO_SPACE));
    for (CommitResult result : jobs().commit(changes(EarlyStatesTest::change))) {
      assertInstanceOf(CommitResult.Failed.class, result);
    }
    assertEquals(List.of(), temporaryFiles());
    for (int job = 0; job < JOBS; job++) {
      assertEquals(before(job), found(job));
    }
    disk.healthy();
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
  }

  @Test
  void whatCannotBeWrittenEarlyIsWrittenInItsTime() throws Exception {
    disk.failing(Fault.of("sync", Reason.NO_SPACE));
    jobs().expect(expected());
    assertEquals(List.of(), temporaryFiles());
    disk.healthy();
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
    assertEquals(intended(4, 17), found(4));
  }

  @Test
  void isForgottenOrReplaced() throws Exception {
    jobs().expect(expected());
    jobs().expect(List.of(intended(1, 500)));
    jobs().forgetExpected(identity(2));
    jobs().forgetExpected("/a:unknown");
    assertEquals(JOBS - 1, temporaryFiles().size());
    int syncs = disk.syncs.get();
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
    assertEquals(1, disk.syncs.get() - syncs, "the forgotten one shows that there is room");
    assertEquals(intended(1, 500), found(1));
    assertEquals(intended(2, 17), found(2));
  }

  @Test
  void makesTheDirectoryOfItsRunLikeAnyIntent() throws Exception {
    jobs().expect(expected());
    assertFalse(store().runs().exists(Samples.runId(3)));
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
    assertTrue(store().runs().exists(Samples.runId(3)));
  }

  @Test
  void waitsInTheQueueUntilNothingElseDoes() throws Exception {
    GroupCommit commit = new GroupCommit(jobs());
    List<String> told = new ArrayList<>();
    expected().forEach(commit::expect);
    commit.expect(intended(1, 500));
    commit.forgetExpected(identity(4));
    commit.submit(change(0), true, result -> told.add("0"));
    assertEquals(JOBS, commit.waiting());
    assertEquals(1, commit.drain());
    assertEquals(List.of("0"), told);
    assertEquals(JOBS - 1, commit.drain());
    assertEquals(3, temporaryFiles().size(), "of 1, 2 and 3");
    commit.gather();
    for (int job = 1; job < JOBS; job++) {
      commit.submit(change(job), true, result -> told.add("durable"));
    }
    commit.gathered();
    commit.expect(intended(2, 0));
    commit.submit(change(2), true, result -> told.add("again"));
    assertEquals(JOBS - 1, commit.waiting(), "what is submitted need not be expected any more");
    assertEquals(JOBS - 1, commit.drain());
    assertEquals(JOBS + 1, told.size());
    commit.close();
    commit.expect(intended(1, 0));
    assertEquals(0, commit.waiting());
    assertEquals(intended(1, 500), found(1));
    assertEquals(List.of(), temporaryFiles());
  }

  /** The state in memory is the better one, as for every change. */
  @Test
  void aFileThatCannotBeReadAnyMoreIsReplaced() throws Exception {
    jobs().expect(expected());
    Files.move(file(2), temporary.resolve("elsewhere"));
    Files.createSymbolicLink(file(2), temporary.resolve("elsewhere"));
    disk.failing(Fault.of("read", JobStates.fileName(identity(3)), Reason.INPUT_OUTPUT));
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
    disk.healthy();
    assertEquals(intended(2, 17), found(2));
    assertEquals(intended(3, 17), found(3));
  }

  /** What is expected must not take the room of what is needed. */
  @Test
  void giveWayToChangesThatFindNoRoom() throws Exception {
    jobs().expect(expected());
    atMost(JOBS + 1);
    assertDurable(
        jobs()
            .commit(
                IntStream.range(JOBS, JOBS + 3)
                    .mapToObj(job -> new StateChange(before(job), List.of()))
                    .toList()));
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
    assertEquals(intended(4, 17), found(4));
  }

  @Test
  void giveWayToTheDirectoriesOfRuns() throws Exception {
    jobs().expect(expected());
    disk.failing(
        (operation, path) ->
            operation.equals("createDirectory") && temporaryFilesNow() > 2
                ? Reason.NO_SPACE
                : null);
    assertDurable(jobs().commit(List.of(change(0), change(1))));
    assertEquals(intended(1, 17), found(1));
  }

  /** The outputs of commands need room as well. */
  @Test
  void takeNoRoomWhereItIsScarce() throws Exception {
    atMost(JOBS - 1);
    jobs().expect(expected());
    assertEquals(List.of(), temporaryFiles());
    jobs().expect(expected());
    assertEquals(List.of(), temporaryFiles(), "not tried again at once");
  }

  /** Leaves room for so many temporary files. */
  private void atMost(int files) {
    disk.failing(
        (operation, path) ->
            operation.equals("write")
                    && AtomicFiles.isTemporary(path.getFileName().toString())
                    && temporaryFilesNow() > files
                ? Reason.NO_SPACE
                : null);
  }

  private int temporaryFilesNow() {
    try {
      return temporaryFiles().size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ten thousand of them may wait, and a history may be long. */
  @Test
  void keepNoHistoriesInMemory() throws Exception {
    String filler = "x".repeat(4 << 20);
    for (int job = 0; job < JOBS; job++) {
      String text = Files.readString(file(job));
      Files.writeString(file(job), text.replaceFirst("\\{", "{\"later\":\"" + filler + "\","));
    }
    long before = usedBytes();
    jobs().expect(expected());
    assertEquals(JOBS, temporaryFiles().size());
    long taken = usedBytes() - before;
    assertTrue(taken < filler.length(), () -> taken + " bytes for " + JOBS);
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
    assertTrue(Files.readString(file(4)).contains(filler));
  }

  private static long usedBytes() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  @Test
  void areNotWrittenWhileTheQueueIsClosed() throws Exception {
    GroupCommit commit = new GroupCommit(jobs());
    jobs().expect(List.of(intended(4, 0)));
    expected().subList(0, 3).forEach(commit::expect);
    commit.forgetExpected(identity(4));
    int syncs = disk.syncs.get();
    commit.close();
    assertEquals(syncs, disk.syncs.get());
    assertEquals(List.of(), temporaryFiles());
  }

  @Test
  void whatIsToBeDroppedIsDroppedWhateverBecomesOfTheOthers() throws Exception {
    GroupCommit commit = new GroupCommit(jobs());
    jobs().expect(List.of(intended(4, 0)));
    commit.expect(intended(1, 0));
    commit.forgetExpected(identity(4));
    disk.failing(
        (operation, path) -> {
          if (operation.equals("create")) {
            throw new IllegalStateException("a bug");
          }
          return null;
        });
    assertThrows(IllegalStateException.class, commit::drain);
    disk.healthy();
    while (commit.drain() > 0) {}
    assertEquals(List.of(), temporaryFiles());
  }

  @Test
  void temporaryFilesThatBecameSomethingElseAreNotUsed() throws Exception {
    jobs().expect(expected());
    Path elsewhere = Files.writeString(temporary.resolve("elsewhere"), "untouched");
    for (Path file : temporaryFiles()) {
      Files.delete(file);
      if (file.getFileName().toString().startsWith(Hashes.hex(identity(1)))) {
        Files.createDirectory(file);
      } else {
        Files.createSymbolicLink(file, elsewhere);
      }
    }
    assertDurable(jobs().commit(changes(EarlyStatesTest::change)));
    assertEquals(intended(1, 17), found(1));
    assertEquals(intended(2, 17), found(2));
    assertEquals("untouched", Files.readString(elsewhere));
  }

  @Test
  void aDiskThatIsReadOnlyByThenTakesNoneOfThem() throws Exception {
    jobs().expect(expected());
    disk.failing(
        (operation, path) ->
            List.of("write", "create", "rename", "delete", "createDirectory", "append", "sync")
                    .contains(operation)
                ? Reason.READ_ONLY
                : null);
    for (CommitResult result : jobs().commit(changes(EarlyStatesTest::change))) {
      assertInstanceOf(CommitResult.Failed.class, result);
    }
    disk.healthy();
    jobs()
        .commit(changes(EarlyStatesTest::change))
        .forEach(result -> assertInstanceOf(CommitResult.Durable.class, result));
    assertEquals(intended(4, 17), found(4));
  }
}
