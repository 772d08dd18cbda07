package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.concurrent.locks.LockSupport;

/**
 * A program that reports that it is ready, waits for its turn as {@code sd_notify} does, and stays.
 */
final class ReportReady {
  private static final long AGAIN_NANOS = 100_000;

  private ReportReady() {}

  public static void main(String[] arguments) {
    byte[] report = "READY=1\nSTATUS=at your service\nMAINPID=1".getBytes(UTF_8);
    try (var socket = new LocalDatagrams(System.getenv("NOTIFY_SOCKET"))) {
      while (!socket.send(report)) {
        LockSupport.parkNanos(AGAIN_NANOS);
      }
    }
    while (true) {
      LockSupport.park();
    }
  }
}
