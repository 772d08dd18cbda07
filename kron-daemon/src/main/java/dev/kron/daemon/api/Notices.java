package dev.kron.daemon.api;

import dev.kron.notice.Channel;
import dev.kron.notify.Sent;
import dev.kron.notify.channel.Delivery;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages to people, as the API sees them. Every method may be called from any thread. */
public interface Notices {
  Collection<Channel> channels();

  /** What waits and what was sent, newest first. */
  List<Sent> log(int limit);

  /** Sends a message that is no alarm, and waits for it; null where there is no such channel. */
  @Nullable Delivery test(String channel);

  /** How many messages wait. */
  int waiting();

  /** How many were delivered since the daemon began. */
  long delivered();

  /** How many were given up since the daemon began. */
  long lost();
}
