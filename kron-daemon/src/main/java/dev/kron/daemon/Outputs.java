package dev.kron.daemon;

import dev.kron.process.Run;
import dev.kron.process.SystemLog;
import dev.kron.process.SystemLog.Severity;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Consumer;

/** Where the captured lines of runs go beside their files. */
final class Outputs implements AutoCloseable {
  private static final int PID = (int) ProcessHandle.current().pid();

  /** Of each of a run's two streams. */
  private static final long LIMIT_BYTES = 100L << 20;

  private final OutputForwarder forwarder;
  private final Consumer<String> stdout;
  private final Consumer<String> stderr;
  private final SystemLog systemLog;
  private final Clocks clocks;
  private final EventLog log;

  Outputs(
      Consumer<String> stdout,
      Consumer<String> stderr,
      SystemLog systemLog,
      Clocks clocks,
      EventLog log,
      Errands errands) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.systemLog = systemLog;
    this.clocks = clocks;
    this.log = log;
    this.forwarder =
        new OutputForwarder(
            LIMIT_BYTES,
            System::nanoTime,
            turn -> errands.tend("output", turn),
            (file, dropped) ->
                log.warn("output", "middle_dropped", "file", file, "bytes", dropped.bytes()));
  }

  /** Before the run begins, or when it is found again: what it writes is handed on from now on. */
  void follow(Run run, RunNote note) {
    follow(run, run.stdout(), note.stdout(), stdout, systemLog(note, Severity.INFO));
    follow(run, run.stderr(), note.stderr(), stderr, systemLog(note, Severity.WARNING));
  }

  private void follow(
      Run run,
      Path file,
      RunNote.Stream stream,
      Consumer<String> inherited,
      Consumer<String> logged) {
    switch (stream) {
      case NONE -> {}
      case INHERIT -> forwarder.follow(run.id(), file, inherited);
      case SYSLOG -> forwarder.follow(run.id(), file, logged);
    }
  }

  private Consumer<String> systemLog(RunNote note, Severity severity) {
    String tag = "kron/" + note.name();
    return line -> {
      Instant now = Instant.ofEpochMilli(clocks.wallMillis());
      if (!systemLog.send(severity, now, tag, PID, line)) {
        long lost = systemLog.dropped();
        if (Long.bitCount(lost) == 1) { // the first, the second, the fourth …
          log.warn("output", "syslog_lines_lost", "identity", note.identity(), "count", lost);
        }
      }
    };
  }

  void finish(Run run) {
    forwarder.finish(run.id());
  }

  @Override
  public void close() {
    forwarder.close();
    systemLog.close();
  }
}
