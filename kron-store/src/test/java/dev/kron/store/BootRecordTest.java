package dev.kron.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.store.BootRecord.Presence;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BootRecordTest {
  private static final BootRecord RECORD =
      new BootRecord(
          "one.1",
          1_700_000_000_123L,
          987_654_321L,
          Map.of(
              BootRecord.name("/a:plain"), new Presence(1_700_000_000L, false),
              BootRecord.name("/a:lost"), new Presence(-5, true)));

  @Test
  void isReadAsItWasWritten() {
    assertEquals(RECORD, BootRecord.parse(RECORD.bytes()));
    assertEquals("boot:one.1", RECORD.periodId());
  }

  @Test
  void isNoneWhereAByteIsAnotherOrMissing() {
    byte[] bytes = RECORD.bytes();
    for (int i = 0; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 1;
      assertNull(BootRecord.parse(damaged), "byte " + i);
    }
    String text = new String(bytes, US_ASCII);
    for (int length = 0; length < bytes.length; length++) {
      assertNull(BootRecord.parse(text.substring(0, length).getBytes(US_ASCII)));
    }
  }

  @Test
  void whoCountsFromAnotherMomentOrHasLostItsPastIsAnotherJob() {
    assertTrue(RECORD.has("/a:plain", 1_700_000_000L, false));
    assertFalse(RECORD.has("/a:plain", 1_700_000_001L, false));
    assertFalse(RECORD.has("/a:plain", 1_700_000_000L, true));
    assertTrue(RECORD.has("/a:lost", -5, true));
    assertFalse(RECORD.has("/a:lost", -5, false));
    assertFalse(RECORD.has("/a:other", -5, true));
  }
}
