package dev.kron.daemon.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class PlacesTest {
  private final Places places = new Places(Set.of("root"), 3, 5);
  private final List<SelectableChannel> channels = new ArrayList<>();

  private SelectableChannel channel() throws IOException {
    SelectableChannel channel = SocketChannel.open();
    channels.add(channel);
    return channel;
  }

  @AfterEach
  void close() throws IOException {
    for (SelectableChannel channel : channels) {
      channel.close();
    }
  }

  private SelectableChannel taken(String user) throws IOException {
    SelectableChannel channel = channel();
    assertNull(places.take(channel, user, 0));
    return channel;
  }

  @Test
  void aUserHasAShareAndAllOthersTogetherHaveTheRest() throws IOException {
    SelectableChannel first = taken("ann");
    taken("ann");
    taken("ann");
    assertEquals(
        "ann has 3 connections open, and no more are allowed", places.take(channel(), "ann", 0));
    taken("bob");
    SelectableChannel last = taken("bob");
    assertEquals(
        "other users have all 5 connections that there are", places.take(channel(), "eve", 0));
    taken("root");
    assertEquals(new Places.Refused(2, "eve"), places.countRefused());
    assertEquals(0, places.countRefused().count());

    places.release(first);
    places.release(first); // told twice
    taken("eve");
    assertNotNull(places.take(channel(), "ann", 0));
    places.release(last);
    taken("ann");
    assertNotNull(places.take(channel(), "bob", 0));
  }

  @Test
  void theOwnersPlacesAreTheirsAlone() throws IOException {
    List<SelectableChannel> own = new ArrayList<>();
    for (int i = 0; i < Places.OWN; i++) {
      own.add(taken("root"));
    }
    assertEquals(
        "root has 512 connections open, and no more are allowed",
        places.take(channel(), "root", 0));
    for (int i = 0; i < 3; i++) {
      taken("ann");
    }
    places.release(own.getFirst());
    taken("root");
    taken("bob");
    taken("bob");
    assertNotNull(places.take(channel(), "bob", 0));
  }

  @Test
  void whoWaitsForTheRestOfARequestIsOverdueAndNobodyElse() throws IOException {
    SelectableChannel slow = taken("ann");
    SelectableChannel served = taken("ann");
    places.answering(served);
    assertEquals(List.of(), places.overdue(100, 100));
    assertEquals(List.of(slow), places.overdue(101, 100));
    places.answered(served, 150);
    places.answering(slow);
    assertEquals(List.of(), places.overdue(250, 100));
    assertEquals(List.of(served), places.overdue(251, 100));
    places.release(served);
    assertEquals(List.of(), places.overdue(251, 100));
  }
}
