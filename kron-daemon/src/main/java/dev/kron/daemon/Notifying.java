package dev.kron.daemon;

import dev.kron.config.Krontab;
import dev.kron.config.NotifyFile;
import dev.kron.daemon.jobs.JobNotices;
import dev.kron.daemon.notices.Notifier;
import dev.kron.notice.NotifySpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether anybody is told of anything: nothing of it is loaded before a file asks for it. */
final class Notifying {
  private static final NotifyFile NOBODY =
      new NotifyFile("", Krontab.Status.READ, NotifySpec.NONE, List.of());

  private final Notifier.Means means;
  private final JobNotices notices;
  private volatile @Nullable Notifier notifier;

  private Runnable changed = () -> {};

  Notifying(Notifier.Means means, JobNotices notices) {
    this.means = means;
    this.notices = notices;
  }

  /**
   * For the loop's thread, or before there is one.
   *
   * @param file what holds from now on, null: nobody is told
   */
  void use(@Nullable NotifyFile file) {
    hand(file);
    changed.run();
  }

  /** Who is told whenever the rules may be others. */
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
      var made = new Notifier(means, file);
      notifier = made;
      made.begin(Notifier.ids(notices.owed()));
      notices.use(file.spec(), made);
    }
  }

  /** Null: nobody was ever to be told. */
  @Nullable Notifier notifier() {
    return notifier;
  }
}
