package dev.kron.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.job.Reason.Cause;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ReasonTest {
  /** The sentences that daemons wrote before there were facts. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "TIMED_OUT | timed out",
        "TIMED_OUT | timed out; its keeper is gone",
        "STILL_ACTIVE | run r2 is still active since 1970-01-01T02:00:05Z",
        "STILL_ACTIVE | never began; run r2 is still active since 1970-01-01T02:00:05Z",
        "REPLACED | replaced",
        "REPLACED | replaced before it began",
        "STOPPED | stopped",
        "STOPPED | the daemon was stopped before it began",
        "UNENDABLE | run r2, which it replaces, could not be ended",
        "RESTARTED | the machine was restarted before it began",
        "NO_CANDIDATE | no candidate accepted within MaxAttempts",
        "RELEASED | released by the operator: periods after 1970-01-01T02:00:05Z count again",
        "UNKNOWN | its keeper is gone"
      })
  void theFactsOfAnOlderEntryAreInItsSentence(Cause cause, String text) {
    assertEquals(Reason.of(cause, text), Reason.ofSentence(text));
  }

  @ParameterizedTest
  @CsvSource({"''", "never began; "})
  void soIsHowLateItWas(String prefix) {
    Reason late = Reason.late(75, 60, prefix);
    assertEquals(
        prefix + "75 s late when the daemon was there again, the deadline is 60 s", late.text());
    assertEquals(late, Reason.ofSentence(late.text()));
  }

  @ParameterizedTest
  @EnumSource
  void aCauseIsKnownByItsWord(Cause cause) {
    assertEquals(cause, Cause.ofWord(cause.word()));
  }

  @Test
  void aCauseThatSomebodyNewerWroteIsUnknown() {
    assertEquals(Cause.UNKNOWN, Cause.ofWord("eaten-by-the-dog"));
  }
}
