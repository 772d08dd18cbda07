package dev.kron.daemon;

import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.daemon.log.EventLog;
import dev.kron.daemon.log.EventRing;
import dev.kron.daemon.log.Meters;
import dev.kron.daemon.log.Reports;
import dev.kron.daemon.loop.Background;
import dev.kron.daemon.loop.Clocks;
import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.EventLoop;
import dev.kron.daemon.loop.LoopTime;
import dev.kron.daemon.loop.Presence;
import dev.kron.daemon.loop.Timers;
import dev.kron.daemon.loop.Writability;
import dev.kron.store.StateDirectory;
import java.io.PrintStream;

/** The parts on which jobs and services stand: clocks, the log, the loop and the work beside it. */
final class Foundation {
  final Settings settings;
  final Ports ports;
  final Background background;
  final StateDirectory directory;
  final Clocks clocks;
  final long startedMillis;
  final Meters meters = new Meters();
  final EventLoop<Input> loop = new EventLoop<>(meters);
  final EventRing events;
  final EventLog log;
  final Reports reports;
  final Errands errands;
  final Presence presence;
  final LoopTime time;
  final PastRecorder past;
  final Writability writability;

  /** How configuration files, and those that they name, are read. */
  final ConfigFiles.Settings files;

  Foundation(
      Settings settings,
      Ports ports,
      Background background,
      StateDirectory directory,
      PrintStream err) {
    this.settings = settings;
    this.ports = ports;
    this.background = background;
    this.directory = directory;
    this.clocks = ports.clocks();
    this.startedMillis = clocks.wallMillis();
    this.events = new EventRing(Long.toString(startedMillis, Character.MAX_RADIX));
    this.log =
        new EventLog(
            err,
            settings.logFormat(),
            settings.logLevel(),
            clocks::wallTime,
            !background.byHand(),
            events);
    this.reports = new Reports(log, meters);
    this.errands = new Errands(background, meters.faults, log);
    this.presence = new Presence(clocks.wallMillis(), clocks.bootNanos());
    this.time = new LoopTime(clocks, new Timers(), presence);
    this.past = new PastRecorder(directory.history(), errands, log);
    this.writability =
        new Writability(
            clocks, time.timers(), new DiskProbe(directory, past, errands, loop::post), log);
    this.files =
        ConfigFiles.Settings.of(Account.current()).withFollowLinks(settings.followSymlinks());
  }
}
