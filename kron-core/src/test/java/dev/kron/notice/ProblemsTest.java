package dev.kron.notice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.json.JsonSyntaxException;
import dev.kron.notice.Subject.Kind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProblemsTest {
  private static final Subject JOB = new Subject(Kind.JOB, "/etc/krond.d/a.kron:backup/db");
  private static final Rule ALL =
      rule(Duration.ofHours(4), EnumSet.complementOf(EnumSet.of(Word.FLAPPING, Word.UNHEALTHY)));
  private static final long HOUR = 3_600_000L;

  private static Rule rule(@Nullable Duration again, Set<Word> on) {
    return new Rule(Kind.JOB, List.of("backup/*"), on, List.of("ops"), again);
  }

  private static Event event(Word word, long at) {
    return ended(word, at, "run" + at);
  }

  private static Event ended(Word word, long at, String run) {
    boolean good = word == Word.RECOVERED || word == Word.SHORT;
    boolean ends = good || word == Word.FAILED;
    return Event.builder(word, at)
        .succeeded(good)
        .endsRun(ends)
        .run(run)
        .period(at / 1000)
        .exitCode(good ? 0 : 3)
        .build();
  }

  private static Problems after(Problems problems, Word word, long at) {
    return problems.after(JOB, List.of(ALL), event(word, at), at);
  }

  private static Problems after(Problems problems, Event event, long at) {
    return problems.after(JOB, List.of(ALL), event, at);
  }

  private static List<String> words(Problems problems) {
    return problems.owed().stream()
        .map(each -> each.event().word().text() + (each.reminder() ? "!" : ""))
        .toList();
  }

  @Test
  void theFirstFailureIsToldAndTheNextSuccessClosesTheThread() {
    Problems open =
        after(after(after(Problems.NONE, Word.FAILED, 1), Word.FAILED, 2), Word.MISSED, 3);
    assertEquals(List.of("failed"), words(open));
    assertEquals(1, open.threads().size());
    Problems closed = after(open, Word.RECOVERED, 4);
    assertEquals(List.of("failed", "recovered"), words(closed));
    assertTrue(closed.threads().isEmpty());
    assertEquals(1, closed.owed().getLast().sinceMillis());
    assertEquals(closed.owed().getFirst().thread(), closed.owed().getLast().thread());
    assertEquals(2, closed.owed().stream().map(Message::id).distinct().count());
  }

  @Test
  void aSuccessWithoutAProblemSaysNothingAndChangesNothing() {
    assertSame(Problems.NONE, after(Problems.NONE, Word.RECOVERED, 1));
  }

  @Test
  void aReminderComesWheneverThePatienceOfTheRuleIsOver() {
    Problems open = after(Problems.NONE, Word.FAILED, HOUR);
    List<Rule> rules = List.of(ALL);
    assertEquals(5 * HOUR, open.remindMillis(rules, HOUR));
    assertSame(open, open.reminded(JOB, rules, 5 * HOUR - 1));
    Problems reminded = open.reminded(JOB, rules, 5 * HOUR);
    assertEquals(List.of("failed", "failed!"), words(reminded));
    assertEquals(9 * HOUR, reminded.remindMillis(rules, 5 * HOUR));
    // The clock is set back by a year: nobody waits longer than once more.
    assertEquals(4 * HOUR, reminded.remindMillis(rules, 0));
    Rule silent = rule(null, EnumSet.of(Word.FAILED));
    Problems once = Problems.NONE.after(JOB, List.of(silent), event(Word.FAILED, 1), 1);
    assertEquals(Problems.NEVER, once.remindMillis(List.of(silent), 2));
  }

  @Test
  void eachRuleHasAThreadOfItsOwnAndOnlyOne() {
    Rule failures = rule(null, EnumSet.of(Word.FAILED));
    Rule misses = rule(null, EnumSet.of(Word.MISSED, Word.RECOVERED));
    List<Rule> rules = List.of(failures, misses);
    Problems open = Problems.NONE.after(JOB, rules, event(Word.FAILED, 1), 1);
    open = open.after(JOB, rules, event(Word.MISSED, 2), 2);
    assertEquals(List.of("failed", "missed"), words(open));
    assertEquals(2, open.threads().size());
    open = open.after(JOB, rules, event(Word.RECOVERED, 3), 3);
    assertEquals(List.of("failed", "missed", "recovered"), words(open));
  }

  @Test
  void theEndOfARunClosesWhatItsLengthOpened() {
    Problems good = after(after(Problems.NONE, Word.LONG, 1), ended(Word.RECOVERED, 2, "run1"), 2);
    assertEquals(List.of("long", "recovered"), words(good));
    // A pager opens an incident by each thread, so none may be left without its end.
    Problems bad = after(after(Problems.NONE, Word.LONG, 1), ended(Word.FAILED, 2, "run1"), 2);
    assertEquals(List.of("long", "recovered", "failed"), words(bad));
    assertEquals(
        List.of(true, false),
        List.of(
            bad.owed().get(0).thread().equals(bad.owed().get(1).thread()),
            bad.owed().get(1).thread().equals(bad.owed().get(2).thread())));
    assertEquals(1, bad.threads().size());
    Rule lengths = rule(null, EnumSet.of(Word.LONG, Word.RECOVERED));
    Problems ended =
        Problems.NONE
            .after(JOB, List.of(lengths), event(Word.LONG, 1), 1)
            .after(JOB, List.of(lengths), ended(Word.FAILED, 2, "run1"), 2);
    assertEquals(List.of("long", "recovered"), words(ended));
  }

  @Test
  void aLongRunThatWasStoppedIsNoProblemAnyMore() {
    Event stopped = Event.builder(Word.RECOVERED, 2).endsRun(true).run("run1").build();
    assertEquals(
        List.of("long", "recovered"), words(after(after(Problems.NONE, Word.LONG, 1), stopped, 2)));
    assertEquals(List.of("failed"), words(after(after(Problems.NONE, Word.FAILED, 1), stopped, 2)));
  }

  @Test
  void anotherRunsEndIsNotThatOfTheLongOne() {
    Problems open = after(after(Problems.NONE, Word.LONG, 1), Word.FAILED, 2);
    assertEquals(List.of("long"), words(open));
    assertEquals(1, open.threads().size());
  }

  @Test
  void aFailedJobsLongRunThatFailsTooIsStillTheSameProblem() {
    Problems open = after(after(Problems.NONE, Word.FAILED, 1), Word.LONG, 2);
    Problems worse = after(open, ended(Word.FAILED, 3, "run2"), 3);
    assertEquals(List.of("failed"), words(worse));
    assertEquals(open.threads().getFirst().id(), worse.threads().getFirst().id());
    assertEquals(List.of("failed", "recovered"), words(after(worse, Word.RECOVERED, 4)));
  }

  @Test
  void aShortRunIsASuccessToRulesThatDoNotKnowTheWord() {
    Rule failures = rule(null, EnumSet.of(Word.FAILED, Word.RECOVERED));
    Problems open = Problems.NONE.after(JOB, List.of(failures), event(Word.FAILED, 1), 1);
    assertEquals(
        List.of("failed", "recovered"),
        words(open.after(JOB, List.of(failures), event(Word.SHORT, 2), 2)));
    assertEquals(List.of("short"), words(after(Problems.NONE, Word.SHORT, 1)));
  }

  @Test
  void whatIsMutedIsToldWhenTheMuteEndsAndTheProblemStands() {
    Problems muted = Problems.NONE.muted(HOUR);
    Problems open = after(muted, Word.FAILED, 1);
    assertTrue(open.owed().isEmpty());
    assertEquals(HOUR, open.remindMillis(List.of(ALL), 2));
    assertEquals(List.of("failed"), words(open.reminded(JOB, List.of(ALL), HOUR)));
    assertTrue(after(open, Word.RECOVERED, 3).owed().isEmpty(), "nobody heard of it");
  }

  @Test
  void aRuleThatIsGoneTakesItsThreadWithIt() {
    Problems open = after(Problems.NONE, Word.FAILED, 1);
    assertTrue(open.reminded(JOB, List.of(), 2).threads().isEmpty());
  }

  @Test
  void whatIsOwedIsBoundedAndGoesOnceItIsSettled() {
    Problems many = Problems.NONE;
    for (int i = 1; i < 200; i += 2) {
      many = after(after(many, Word.FAILED, i), Word.RECOVERED, i + 1);
    }
    assertEquals(Problems.MOST_OWED, many.owed().size());
    Set<String> ids = new HashSet<>(many.owed().stream().map(Message::id).toList());
    assertEquals(Problems.MOST_OWED, ids.size(), "no id twice");
    assertTrue(many.settled(ids).isEmpty());
  }

  @Test
  void surviveAsText() throws JsonSyntaxException {
    var random = new Random(7);
    List<Word> words = List.of(Word.FAILED, Word.MISSED, Word.LONG, Word.SHORT, Word.RECOVERED);
    Problems problems = Problems.NONE.muted(5);
    for (int i = 1; i < 60; i++) {
      Word word = words.get(random.nextInt(words.size()));
      problems = after(problems, word, i * HOUR);
      Problems read = Problems.parse(problems.json());
      assertEquals(problems.json(), read.json());
      assertEquals(problems.threads().size(), read.threads().size());
    }
    assertTrue(problems.json().indexOf('\n') < 0);
  }

  @Test
  void patternsWithAColonAreIdentitiesAndStarsMatchSlashes() {
    assertTrue(Subject.matches("backup/*", "backup/db/full"));
    assertTrue(Subject.matches("*", ""));
    assertTrue(Subject.matches("a*b*c", "aXXbYYbZc"));
    assertFalse(Subject.matches("backup/*", "backup"));
    assertFalse(Subject.matches("a*b", "abc"));
    Rule identity =
        new Rule(
            Kind.JOB, List.of("/etc/krond.d/*:backup/*"), Set.of(Word.FAILED), List.of(), null);
    assertTrue(identity.isFor(JOB));
    assertFalse(identity.isFor(new Subject(Kind.JOB, "/srv/a.kron:backup/db")));
    assertFalse(identity.isFor(new Subject(Kind.SERVICE, "backup/db")));
  }
}
