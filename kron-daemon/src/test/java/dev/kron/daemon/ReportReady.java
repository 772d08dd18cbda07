package dev.kron.daemon;

import dev.kron.process.ReadinessSocket;
import java.util.concurrent.locks.LockSupport;

/** A service that reports that it is ready as {@code sd_notify} does, and stays. */
final class ReportReady {
  private ReportReady() {}

  /** The words that execute it. */
  static String command() {
    return ProcessHandle.current().info().command().orElseThrow()
        + " -XX:TieredStopAtLevel=1 -XX:+UseSerialGC --enable-native-access=ALL-UNNAMED -cp "
        + System.getProperty("java.class.path")
        + " "
        + ReportReady.class.getName();
  }

  public static void main(String[] arguments) {
    ReadinessSocket.of(System.getenv()).ready("at your service");
    while (true) {
      LockSupport.park();
    }
  }
}
