package dev.kron.notify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.notice.Event;
import dev.kron.notice.Message;
import dev.kron.notice.Problems;
import dev.kron.notice.Rule;
import dev.kron.notice.Subject;
import dev.kron.notice.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OutboxTest {
  private final MemoryJournal journal = new MemoryJournal();

  private static Message message(String id, String... channels) {
    var subject = new Subject(Subject.Kind.JOB, "/f:" + id);
    return new Message(
        id, id, false, subject, Event.noticed(Word.FAILED, 5, "x"), 5, List.of(channels));
  }

  private Outbox open() {
    var outbox = new Outbox(journal);
    assertNull(outbox.open().problem());
    return outbox;
  }

  @Test
  void whatIsTakenOverIsThereAfterADeathAndOnlyOnce() {
    Outbox first = open();
    assertTrue(first.take(List.of(message("a", "x", "y"), message("b", "x"))));
    Outbox second = open();
    assertEquals(3, second.waiting());
    assertTrue(second.take(List.of(message("a", "x", "y"))));
    assertEquals(3, second.waiting(), "the debt stood still, the message is known");
    second.done(second.of("y").getFirst(), 9, null);
    Outbox third = open();
    assertTrue(third.take(List.of(message("a", "x", "y"))));
    assertEquals(2, third.waiting(), "what was delivered is not taken over again");
    third.forgetAllBut(Set.of());
    assertTrue(third.take(List.of(message("a", "y"))));
    assertEquals(3, third.waiting(), "unless nobody owed it any more");
  }

  @Test
  void aListTakesThePlaceOfItsMessagesForGood() {
    Outbox first = open();
    List<Message> many = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      many.add(message("m" + i, "x"));
    }
    assertTrue(first.take(many));
    Outbox.Entry list = first.gather(first.of("x"));
    assertNotNull(list);
    assertEquals(50, list.parcel.messages().size());
    assertEquals(1000, list.parcel.total());
    Outbox second = open();
    assertTrue(second.take(many), "their debts stand still");
    assertEquals(1, second.waiting());
    assertEquals(list.parcel, second.of("x").getFirst().parcel);
  }

  @Test
  void aFullDiskLeavesTheDebtWhereItIsButForTheDaemonsOwn() {
    Outbox outbox = open();
    journal.left = 0;
    assertFalse(outbox.take(List.of(message("a", "x"))));
    assertEquals(0, outbox.waiting());
    var rule = new Rule(Subject.Kind.DAEMON, List.of(), Set.of(Word.UNHEALTHY), List.of("x"), null);
    Problems state =
        Problems.NONE.after(
            Subject.DAEMON, List.of(rule), Event.noticed(Word.UNHEALTHY, 1, "disk full"), 1);
    assertFalse(outbox.take(Subject.DAEMON, state));
    assertEquals(1, outbox.waiting(), "sent from memory");
    assertFalse(outbox.of("x").getFirst().durable);
    assertNull(outbox.gather(outbox.of("x")), "a list is durable before it is tried");
    journal.left = Integer.MAX_VALUE;
    assertTrue(outbox.take(List.of(message("a", "x"))));
    assertEquals(2, outbox.waiting());
    assertEquals(2, open().waiting(), "all of it, once it can be written");
  }

  @Test
  void aJournalThatVanishedOrWasChangedIsWrittenAnew() {
    Outbox outbox = open();
    assertTrue(outbox.take(List.of(message("a", "x"))));
    journal.lines.clear();
    assertTrue(outbox.take(List.of(message("b", "x"))));
    assertEquals(2, open().waiting());
  }

  @Test
  void whatCannotBeReadIsKeptAsideAndTheRestGoesOn() {
    Outbox outbox = open();
    assertTrue(outbox.take(List.of(message("a", "x"))));
    journal.lines.addFirst("{\"parcel\":{\"id\":");
    journal.lines.addLast("\u0000\u0000\u0000");
    journal.lines.addLast("{\"parcel\":{}}");
    var again = new Outbox(journal);
    assertEquals(2, again.open().unreadable());
    assertEquals(1, journal.asides);
    assertEquals(1, again.waiting());
  }

  @Test
  void aDeathAfterAnyWriteLosesNothingAndDoublesNothing() {
    for (int writes = 1; writes < 12; writes++) {
      journal.lines.clear();
      journal.left = Integer.MAX_VALUE;
      Outbox outbox = open();
      journal.left = writes;
      List<String> owed = new ArrayList<>(List.of("a", "b", "c"));
      var delivered = new ArrayList<String>();
      for (String id : List.copyOf(owed)) {
        if (outbox.take(List.of(message(id, "x")))) {
          for (Outbox.Entry entry : outbox.of("x")) {
            delivered.add(entry.parcel.id());
            outbox.done(entry, 1, null);
          }
        }
      }
      // The daemon dies; nothing was settled in the jobs' states.
      journal.left = Integer.MAX_VALUE;
      Outbox next = open();
      owed.forEach(id -> assertTrue(next.take(List.of(message(id, "x")))));
      List<String> again = next.of("x").stream().map(entry -> entry.parcel.id()).toList();
      for (String id : owed) {
        assertTrue(delivered.contains(id) || again.contains(id), id + " is lost");
      }
      assertEquals(again.size(), Set.copyOf(again).size(), "no id twice");
    }
  }

  @Test
  void theJournalStaysSmall() {
    Outbox outbox = open();
    for (int i = 0; i < 4_000; i++) {
      assertTrue(outbox.take(List.of(message("m" + i, "x"))));
      outbox.done(outbox.of("x").getFirst(), i, null);
      outbox.forget(List.of("m" + i));
    }
    assertTrue(journal.lines.size() < 4_000, "lines: " + journal.lines.size());
    List<Sent> log = open().log(1_000);
    assertEquals(Outbox.MOST_LOGGED, log.size());
    assertEquals("m3999", log.getFirst().id());
    assertEquals(Sent.State.DELIVERED, log.getFirst().state());
  }

  @Test
  void nonsenseInTheJournalKeepsNobodyFromBeingTold() {
    journal.lines.addAll(
        List.of(
            "{\"settled\":{\"keys\":[\"nonsense\",5]}}",
            "{\"problems\":{\"of\":\"nonsense\",\"state\":5}}",
            "{\"sent\":5}",
            "{\"list\":{\"id\":7,\"of\":true}}",
            "[]"));
    Outbox outbox = open();
    outbox.forgetAllBut(Set.of());
    outbox.forget(List.of("m1"));
    assertEquals(1, outbox.subjects().size());
    assertTrue(outbox.take(List.of(message("m1", "x"))));
    assertEquals(1, outbox.waiting());
  }

  @Test
  void threadsWithoutAStateOfTheirOwnAreInTheJournal() {
    var subject = new Subject(Subject.Kind.SERVICE, "web");
    var rule =
        new Rule(
            Subject.Kind.SERVICE,
            List.of("*"),
            Set.of(Word.FAILED, Word.RECOVERED),
            List.of("x"),
            null);
    Problems open =
        Problems.NONE.after(subject, List.of(rule), Event.noticed(Word.FAILED, 1, "x"), 1);
    assertTrue(open().take(subject, open));
    Outbox next = open();
    assertEquals(1, next.problems(subject).threads().size());
    assertEquals(List.of(), next.problems(subject).owed());
    assertEquals(1, next.waiting());
  }
}
