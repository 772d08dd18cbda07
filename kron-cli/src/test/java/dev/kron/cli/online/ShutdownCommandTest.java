package dev.kron.cli.online;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ShutdownCommandTest {
  private static @Nullable String left(String events) {
    return ShutdownCommand.whatIsLeft(
        new ByteArrayInputStream(events.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void theLastWordsOfADaemonTellWhatCouldNotBeEnded() {
    String stopping = ": krond\n\nid: a-1\nevent: stopping\ndata: {\"event\":\"stopping\"}\n\n";
    assertNull(left(stopping));
    assertEquals(
        "web@0",
        left(stopping + "data: {\"event\":\"left_behind\",\"count\":1,\"what\":\"web@0\"}\n\n"));
  }

  @Test
  void aConnectionThatEndsInTheMiddleOfAWordTellsNothing() {
    assertNull(left("data: {\"event\":\"left_be"));
  }
}
