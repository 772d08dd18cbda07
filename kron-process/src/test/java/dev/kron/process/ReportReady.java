package dev.kron.process;

import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** A program that reports that it is ready, and stays. */
final class ReportReady {
  private ReportReady() {}

  public static void main(String[] arguments) {
    Map<String, String> environment = System.getenv();
    ReadinessSocket.of(environment).ready("at your service\nMAINPID=1");
    while (true) {
      LockSupport.park();
    }
  }
}
