package dev.kron.process;

import java.util.Optional;

/**
 * Handles on processes that are never mistaken for a later process with the same number. The number
 * is looked up once, the process found is compared with the one that is meant, and from then on
 * signals go to the handle.
 */
final class Pidfds {

  /** The flag for a handle's whole process group, from Linux 6.9 on. */
  private static final int PROCESS_GROUP = 1 << 2;

  private final String bootId;

  Pidfds(String bootId) {
    this.bootId = bootId;
  }

  /** Opens a handle; {@code -ESRCH} if that process is gone. The caller closes it. */
  int open(Libc libc, ProcessIdentity process) {
    if (!process.bootId().equals(bootId)) {
      return -Libc.ESRCH;
    }
    int pidfd = libc.syscall(Platform.SYS_PIDFD_OPEN, process.pid(), 0, 0, 0);
    if (pidfd < 0) {
      // The number may belong to a thread by now, for which the kernel has other errors.
      return pidfd == -Libc.EINVAL || pidfd == -Libc.ENOENT ? -Libc.ESRCH : pidfd;
    }
    Optional<ProcFiles.Entry> entry = ProcFiles.entry(process.pid());
    if (entry.isEmpty() || entry.get().startTicks() != process.startTicks()) {
      libc.close(pidfd);
      return -Libc.ESRCH;
    }
    return pidfd;
  }

  /** Opens a handle on an unreaped child of ours, whose number cannot have been reused. */
  static int openChild(Libc libc, int pid) {
    return libc.syscall(Platform.SYS_PIDFD_OPEN, pid, 0, 0, 0);
  }

  SignalDelivery signal(ProcessIdentity process, Signal signal) {
    try (Libc libc = new Libc()) {
      int pidfd = open(libc, process);
      if (pidfd < 0) {
        return delivery(pidfd);
      }
      int result = libc.syscall(Platform.SYS_PIDFD_SEND_SIGNAL, pidfd, signal.number(), 0, 0);
      libc.close(pidfd);
      return delivery(result);
    }
  }

  /** Signals the group that a process leads. */
  SignalDelivery signalGroup(ProcessIdentity leader, Signal signal) {
    try (Libc libc = new Libc()) {
      int pidfd = open(libc, leader);
      if (pidfd < 0) {
        return delivery(pidfd);
      }
      int result =
          libc.syscall(Platform.SYS_PIDFD_SEND_SIGNAL, pidfd, signal.number(), 0, PROCESS_GROUP);
      if (result == -Libc.EINVAL) {
        // An older kernel: the number was checked a moment ago, and its process is not reaped yet.
        result = libc.kill(-leader.pid(), signal.number());
      }
      libc.close(pidfd);
      return delivery(result);
    }
  }

  static SignalDelivery delivery(int result) {
    return switch (-result) {
      case Libc.ESRCH -> SignalDelivery.GONE;
      case Libc.EPERM -> SignalDelivery.DENIED;
      default -> {
        if (result < 0) {
          throw new IllegalStateException("cannot signal: " + Libc.message(-result));
        }
        yield SignalDelivery.SENT;
      }
    };
  }

  boolean isAlive(ProcessIdentity process) {
    return process.bootId().equals(bootId)
        && ProcFiles.entry(process.pid())
            .filter(entry -> entry.startTicks() == process.startTicks() && !entry.ended())
            .isPresent();
  }
}
