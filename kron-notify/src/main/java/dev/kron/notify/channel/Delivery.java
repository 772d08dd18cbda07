package dev.kron.notify.channel;

import org.jspecify.annotations.Nullable;

/** The outcome of sending. No reason holds a secret. */
public sealed interface Delivery {
  /**
   * The receiver has it.
   *
   * @param remark what is wrong all the same, null: nothing
   */
  record Delivered(@Nullable String remark) implements Delivery {
    Delivered() {
      this(null);
    }
  }

  /** The receiver answered that it does not want it, and may not want it later either. */
  record Refused(String reason) implements Delivery {}

  /** The receiver is not there, or has trouble of its own. */
  record Unreachable(String reason) implements Delivery {}
}
