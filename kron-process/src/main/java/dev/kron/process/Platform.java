package dev.kron.process;

/** The kernel's numbers that differ between architectures. */
final class Platform {

  private static final boolean ARM = System.getProperty("os.arch", "").equals("aarch64");

  static final int O_RDONLY = 0;
  static final int O_WRONLY = 1;
  static final int O_RDWR = 2;
  static final int O_CREAT = 0100;
  static final int O_EXCL = 0200;
  static final int O_NOCTTY = 0400;
  static final int O_APPEND = 02000;
  static final int O_NONBLOCK = 04000;
  static final int O_CLOEXEC = 02000000;
  static final int O_NOFOLLOW = ARM ? 0100000 : 0400000;

  static final int EPOLL_EVENT_BYTES = ARM ? 16 : 12;
  static final int EPOLL_EVENT_DATA = ARM ? 8 : 4;

  static final long SYS_SETGROUPS = ARM ? 159 : 116;
  static final long SYS_SCHED_SETATTR = ARM ? 274 : 314;
  static final long SYS_SCHED_GETATTR = ARM ? 275 : 315;
  static final long SYS_PIDFD_SEND_SIGNAL = 424;
  static final long SYS_PIDFD_OPEN = 434;
  static final long SYS_FACCESSAT2 = 439;

  private Platform() {}
}
