package dev.kron.daemon.api;

import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connection slots of one listener. The owners have slots of their own, which nobody else can
 * take. All other users share the rest, and none of them gets more than a part of it. Every method
 * may be called from any thread.
 */
final class Places {
  /** Connections of each user that has places of its own. */
  static final int OWN = 512;

  private static final long ANSWERING = Long.MAX_VALUE;

  private final Set<String> owners;
  private final int share;
  private final int shared;
  private final Map<SelectableChannel, Guest> guests = new HashMap<>();
  private final Map<String, Integer> held = new HashMap<>();
  private int heldByOthers;
  private long refused;
  private String lastRefused = "";

  private static final class Guest {
    final String user;
    long waitingSince;

    Guest(String user, long now) {
      this.user = user;
      waitingSince = now;
    }
  }

  /** Connections that got no slot since they were last counted. */
  record Refused(long count, String lastUser) {}

  /**
   * @param owners users with slots of their own
   * @param share slots of each other user
   * @param shared slots of all other users together
   */
  Places(Set<String> owners, int share, int shared) {
    this.owners = Set.copyOf(owners);
    this.share = share;
    this.shared = shared;
  }

  /**
   * Gives a slot to a connection.
   *
   * @return why it gets none; null if it has one
   */
  synchronized @Nullable String take(SelectableChannel channel, String user, long now) {
    int has = held.getOrDefault(user, 0);
    boolean owner = owners.contains(user);
    String reason = null;
    if (has >= (owner ? OWN : share)) {
      reason = "%s has %s connections open, and no more are allowed".formatted(user, has);
    } else if (!owner && heldByOthers >= shared) {
      reason = "other users have all %s connections that there are".formatted(shared);
    }
    if (reason != null) {
      refused++;
      lastRefused = user;
      return reason;
    }
    guests.put(channel, new Guest(user, now));
    held.merge(user, 1, Integer::sum);
    heldByOthers += owner ? 0 : 1;
    return null;
  }

  /** The connection is closed, or never came up. */
  synchronized void release(SelectableChannel channel) {
    Guest guest = guests.remove(channel);
    if (guest != null) {
      held.computeIfPresent(guest.user, (user, count) -> count == 1 ? null : count - 1);
      heldByOthers -= owners.contains(guest.user) ? 0 : 1;
    }
  }

  /** A request is complete. */
  synchronized void answering(SelectableChannel channel) {
    Guest guest = guests.get(channel);
    if (guest != null) {
      guest.waitingSince = ANSWERING;
    }
  }

  /** The request is answered; the next one may come. */
  synchronized void answered(SelectableChannel channel, long now) {
    Guest guest = guests.get(channel);
    if (guest != null) {
      guest.waitingSince = now;
    }
  }

  /** Connections whose request has been incomplete for too long, however many bytes of it came. */
  synchronized List<SelectableChannel> overdue(long now, long limitNanos) {
    List<SelectableChannel> overdue = new ArrayList<>();
    guests.forEach(
        (channel, guest) -> {
          if (guest.waitingSince != ANSWERING && now - guest.waitingSince > limitNanos) {
            overdue.add(channel);
          }
        });
    return overdue;
  }

  /** The refused connections since the last call. */
  synchronized Refused countRefused() {
    var counted = new Refused(refused, lastRefused);
    refused = 0;
    return counted;
  }
}
