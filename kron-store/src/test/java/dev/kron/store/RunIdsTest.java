package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Ids of runs of chains. */
final class RunIdsTest {
  private static final String CAUSE = "01hzzzzzzz0000000000000001";

  @Test
  void whatFollowsHasTheSameIdEachTime() {
    String id = RunIds.following(1_700_000_000_123L, CAUSE, "/a:b", 1);
    assertTrue(RunIds.isRunId(id), id);
    assertEquals(1_700_000_000_123L, RunIds.epochMillis(id));
    assertEquals(id, RunIds.following(1_700_000_000_123L, CAUSE, "/a:b", 1));
    assertNotEquals(id, RunIds.following(1_700_000_000_123L, CAUSE, "/a:c", 1));
    assertNotEquals(id, RunIds.following(1_700_000_000_123L, CAUSE, "/a:b", 2));
  }
}
