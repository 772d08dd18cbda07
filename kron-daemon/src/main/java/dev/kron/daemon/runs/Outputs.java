package dev.kron.daemon.runs;

import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.process.Run;
import dev.kron.process.SystemLog;
import dev.kron.process.SystemLog.Severity;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Consumer;

/** The destinations of captured lines besides their files. */
public final class Outputs implements AutoCloseable {
  private static final int PID = (int) ProcessHandle.current().pid();

  /** The limit of each of a run's two streams. */
  public static final long LIMIT_BYTES = 100L << 20;

  private final OutputForwarder forwarder;
  private final Consumer<byte[]> stdout;
  private final Consumer<byte[]> stderr;
  private final SystemLog systemLog;
  private final Clocks clocks;
  private final EventLog log;
  private final boolean byHand;

  public Outputs(
      Consumer<byte[]> stdout,
      Consumer<byte[]> stderr,
      SystemLog systemLog,
      Clocks clocks,
      EventLog log,
      Errands errands) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.systemLog = systemLog;
    this.clocks = clocks;
    this.log = log;
    this.byHand = errands.byHand();
    this.forwarder =
        new OutputForwarder(
            LIMIT_BYTES,
            System::nanoTime,
            clocks::wallMillis,
            turn -> errands.tend("output", turn),
            (file, dropped) ->
                log.warn("output", "middle_dropped", "file", file, "from", dropped.from()));
  }

  /**
   * Begins to forward a run's output, before the run begins or when it is found again. A daemon
   * that is driven by hand has no thread for that.
   */
  public void follow(Run run, RunNote note) {
    if (byHand) {
      return;
    }
    follow(run, note, run.stdout(), note.stdout(), stdout, Severity.INFO);
    follow(run, note, run.stderr(), note.stderr(), stderr, Severity.WARNING);
  }

  private void follow(
      Run run,
      RunNote note,
      Path file,
      RunNote.Stream stream,
      Consumer<byte[]> inherited,
      Severity severity) {
    String name = String.valueOf(file.getFileName());
    switch (stream) {
      case NONE -> {}
      case INHERIT -> forwarder.follow(run.id(), file, lines(run.id(), note, name, inherited));
      case SYSLOG -> forwarder.follow(run.id(), file, systemLog(note, severity));
    }
  }

  private OutputLines lines(String runId, RunNote note, String stream, Consumer<byte[]> inherited) {
    return new OutputLines(
        text -> log.jobLine(note.identity(), note.name(), runId, stream, text),
        runId,
        OutputLines.BYTES_OF_A_RUN,
        System::nanoTime,
        inherited);
  }

  private OutputForwarder.Sink systemLog(RunNote note, Severity severity) {
    String tag = "kron/" + note.name();
    return bytes -> {
      String line = new String(bytes, StandardCharsets.UTF_8);
      Instant now = Instant.ofEpochMilli(clocks.wallMillis());
      if (!systemLog.send(severity, now, tag, PID, line)) {
        long lost = systemLog.dropped();
        if (Long.bitCount(lost) == 1) { // the first, the second, the fourth …
          log.warn("output", "syslog_lines_lost", "identity", note.identity(), "count", lost);
        }
      }
    };
  }

  /** The daemon's own standard output. */
  public Consumer<byte[]> stdout() {
    return stdout;
  }

  /** Somebody may write to this stream of a run that is over: it is bounded all the same. */
  public void bound(Path file) {
    forwarder.bound(file);
  }

  public void finish(Run run) {
    forwarder.finish(run.id());
  }

  @Override
  public void close() {
    forwarder.close();
    systemLog.close();
  }
}
