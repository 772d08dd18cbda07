package dev.kron.daemon;

import dev.kron.config.Krontab;
import dev.kron.config.NotifyFile;
import dev.kron.daemon.jobs.JobNotices;
import dev.kron.daemon.notices.Notifier;
import dev.kron.notice.Channel;
import dev.kron.notice.NotifySpec;
import dev.kron.notify.channel.Sender;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The notifier, if there is one: its classes are loaded only when a file asks for messages. */
final class Notifying {
  private static final NotifyFile NOBODY =
      new NotifyFile("", Krontab.Status.READ, NotifySpec.NONE, List.of());

  private final Notifier.Means means;
  private final Supplier<Sender> sender;
  private final JobNotices notices;
  private volatile @Nullable Notifier notifier;

  private Runnable changed = () -> {};

  /**
   * @param sender the way to the receivers, asked for when a file first names some
   */
  Notifying(Notifier.Means means, Supplier<Sender> sender, JobNotices notices) {
    this.means = means;
    this.sender = sender;
    this.notices = notices;
  }

  /**
   * Uses other rules from now on; called on the loop's thread, or before there is one.
   *
   * @param file null: no messages
   */
  void use(@Nullable NotifyFile file) {
    hand(file);
    changed.run();
  }

  /** What another file would change, in words. */
  List<String> changes(@Nullable NotifyFile file) {
    Notifier present = notifier;
    NotifySpec before = present == null ? NotifySpec.NONE : present.spec();
    NotifySpec after = file == null ? NotifySpec.NONE : file.spec();
    List<String> changes = new ArrayList<>();
    after
        .channels()
        .forEach(
            (name, channel) -> {
              Channel old = before.channels().get(name);
              if (!channel.equals(old)) {
                changes.add("channel " + name + (old == null ? " is new" : " changes"));
              }
            });
    before.channels().keySet().stream()
        .filter(name -> !after.channels().containsKey(name))
        .forEach(name -> changes.add("channel " + name + " goes, with what waits for it"));
    if (!before.rules().equals(after.rules())) {
      changes.add("the rules change");
    }
    return changes;
  }

  /** Sets the listener for changed rules. */
  void onChange(Runnable told) {
    changed = told;
  }

  private void hand(@Nullable NotifyFile file) {
    Notifier present = notifier;
    if (present != null) {
      NotifyFile changed = file == null ? NOBODY : file;
      present.use(changed);
      notices.use(changed.spec(), present);
    } else if (file != null) {
      var made = new Notifier(means, sender.get(), file);
      notifier = made;
      made.begin(Notifier.ids(notices.owed()));
      notices.use(file.spec(), made);
    }
  }

  /** The notifier; null: no file ever asked for one. */
  @Nullable Notifier notifier() {
    return notifier;
  }
}
