package dev.kron.store;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class JoinedRecordTest {
  private static final String OWN = "12 34 boot\ncommand 13 35\nexit 0\n";

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }

  private static Map<String, byte[]> files(String... namesAndContents) {
    var files = new LinkedHashMap<String, byte[]>();
    for (int i = 0; i < namesAndContents.length; i += 2) {
      files.put(namesAndContents[i], bytes(namesAndContents[i + 1]));
    }
    return files;
  }

  private static String text(byte @Nullable [] content) {
    return content == null ? "none" : new String(content, US_ASCII);
  }

  private static JoinedRecord read(byte[] bytes) {
    JoinedRecord record = JoinedRecord.read(bytes);
    assertNotNull(record);
    return record;
  }

  @Test
  void whatWasJoinedIsReadAsItWas() {
    JoinedRecord record =
        JoinedRecord.of(bytes(OWN), 1_234).with(files("note", "a\nkept 1 x 9\n", "stdout", ""));
    String written = text(record.bytes());
    assertEquals(OWN + "kept 1234 note 13 stdout 0\na\nkept 1 x 9\n", written);
    JoinedRecord again = read(record.bytes());
    assertEquals(1_234, again.endedAtMillis());
    assertEquals("a\nkept 1 x 9\n", text(again.file("note")));
    assertEquals("", text(again.file("stdout")));
    assertEquals("none", text(again.file("stderr")));
    assertArrayEquals(record.bytes(), again.bytes());
  }

  @Test
  void laterFilesTakeThePlaceOfThoseOfTheirNames() {
    JoinedRecord record =
        JoinedRecord.of(bytes(OWN), 5)
            .with(files("note", "a", "stdout", "b"))
            .with(files("stdout", "cc", "stderr", "d"));
    assertEquals(OWN + "kept 5 note 1 stdout 2 stderr 1\naccd", text(record.bytes()));
  }

  @Test
  void aRecordWithoutFilesOrWithTooFewBytesHasNothingJoined() {
    assertNull(JoinedRecord.read(bytes(OWN)));
    assertNull(JoinedRecord.read(bytes("")));
    byte[] whole = JoinedRecord.of(bytes(OWN), 5).with(files("note", "abc")).bytes();
    for (int length = 0; length < whole.length; length++) {
      assertNull(JoinedRecord.read(Arrays.copyOf(whole, length)), "length " + length);
    }
    assertNull(JoinedRecord.read(bytes(OWN + "kept x note 1\na")));
    assertNull(JoinedRecord.read(bytes(OWN + "kept 5 note x\na")));
    assertNull(JoinedRecord.read(bytes(OWN + "kept 5 note -1\na")));
  }
}
