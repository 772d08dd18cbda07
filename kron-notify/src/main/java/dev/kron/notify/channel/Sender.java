package dev.kron.notify.channel;

import dev.kron.notice.Channel;

/** The way to everybody that messages can be sent to. May block while it sends, for a while. */
public interface Sender {
  /** Sends a message or a list. */
  Delivery send(Channel channel, Secrets secrets, Letter letter);

  /** Sends a sign of life. */
  Delivery ping(Channel channel, Secrets secrets, Ping ping);
}
