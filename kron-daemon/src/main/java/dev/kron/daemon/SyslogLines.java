package dev.kron.daemon;

/** Sends lines to the system's log, as {@code kron/<job>}. */
final class SyslogLines implements Outputs.SystemLog {
  SyslogLines(EventLog log) {}

  @Override
  public void send(String tag, boolean error, String line) {}
}
