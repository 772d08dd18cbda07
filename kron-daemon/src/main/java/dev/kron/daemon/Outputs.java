package dev.kron.daemon;

import dev.kron.process.Run;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Where the captured lines of runs go beside their files. */
final class Outputs implements AutoCloseable {
  private final OutputForwarder forwarder = new OutputForwarder();
  private final Consumer<String> stdout;
  private final Consumer<String> stderr;
  private final SystemLog systemLog;

  /** Takes a line for the system's log. */
  interface SystemLog {
    void send(String tag, boolean error, String line);
  }

  Outputs(Consumer<String> stdout, Consumer<String> stderr, SystemLog systemLog) {
    this.stdout = stdout;
    this.stderr = stderr;
    this.systemLog = systemLog;
  }

  void follow(Run run, RunNote note) {
    follow(run, run.stdout(), note.stdout(), note, false);
    follow(run, run.stderr(), note.stderr(), note, true);
  }

  private void follow(Run run, Path file, RunNote.Stream stream, RunNote note, boolean error) {
    switch (stream) {
      case NONE -> {}
      case INHERIT -> forwarder.follow(run.id(), file, error ? stderr : stdout);
      case SYSLOG ->
          forwarder.follow(run.id(), file, line -> systemLog.send(note.name(), error, line));
    }
  }

  void finish(Run run) {
    forwarder.finish(run.id());
  }

  @Override
  public void close() {
    forwarder.close();
  }
}
