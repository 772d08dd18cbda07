package dev.kron.simulation;

import dev.kron.notice.Channel;
import dev.kron.notify.channel.Delivery;
import dev.kron.notify.channel.Letter;
import dev.kron.notify.channel.Ping;
import dev.kron.notify.channel.Secrets;
import dev.kron.notify.channel.Sender;
import java.util.List;

/** The receivers of messages, which are as well or as bad as they feel. */
final class SimulatedReceivers {
  /** The ways to take what is sent. */
  enum Mood {
    THERE,
    AWAY,
    REFUSING,
    /** The message is taken, and nobody hears of that. */
    UNHEARD;

    static final List<Mood> ALL = List.of(values());
  }

  /** Looks on. */
  interface Onlooker {
    /**
     * A receiver has something.
     *
     * @param heard whether the daemon was told so
     */
    void delivered(String channel, Letter letter, boolean heard);
  }

  private final Trace trace;
  private Onlooker onlooker = (channel, letter, heard) -> {};
  private Mood mood = Mood.THERE;

  SimulatedReceivers(Trace trace) {
    this.trace = trace;
  }

  void watchedBy(Onlooker watcher) {
    onlooker = watcher;
  }

  void feel(Mood now) {
    mood = now;
  }

  /** The way that one daemon has to them. */
  Sender of(Lifeline life) {
    return new Sender() {
      @Override
      public Delivery send(Channel channel, Secrets secrets, Letter letter) {
        return take(life, channel.name(), letter);
      }

      @Override
      public Delivery ping(Channel channel, Secrets secrets, Ping ping) {
        life.reach();
        return answer();
      }
    };
  }

  private Delivery take(Lifeline life, String channel, Letter letter) {
    life.reach();
    trace.say(() -> "message " + letter.id() + " to " + channel + ", which is " + mood);
    if (mood == Mood.THERE || mood == Mood.UNHEARD) {
      onlooker.delivered(channel, letter, mood == Mood.THERE);
    }
    life.reach(); // its last act may have been to send
    return answer();
  }

  private Delivery answer() {
    return switch (mood) {
      case THERE -> new Delivery.Delivered(null);
      case AWAY, UNHEARD -> new Delivery.Unreachable("nobody answers");
      case REFUSING -> new Delivery.Refused("not now");
    };
  }
}
