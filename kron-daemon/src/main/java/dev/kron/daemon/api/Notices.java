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

  /** The waiting and the sent messages, newest first. */
  List<Sent> log(int limit);

  /** Sends a test message, and waits for it; null if there is no such channel. */
  @Nullable Delivery test(String channel);

  /** How many messages wait. */
  int waiting();

  /** How many were delivered since the daemon began. */
  long delivered();

  /** How many were given up since the daemon began. */
  long lost();
}
