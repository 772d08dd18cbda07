package dev.kron.simulation;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kron.simulation.StateView.Active;
import dev.kron.simulation.StateView.Entry;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Runs at a start of the machine: one in each boot, for the jobs that were in the files when a
 * daemon was first ready in it.
 */
final class BootRules {
  static final Path FILE = Machine.STATE.resolve("boot");
  private static final String PREFIX = "boot:";
  private static final long SECOND = 1_000_000_000L;

  /** The time after its second in which a job of a boot begins when everything is well. */
  private static final long SOON_NANOS = 60 * SECOND;

  private final Machine machine;
  private final Circumstances around;
  private final BiFunction<Invariant, String, Violation> fail;
  private String boot = "";

  /** The daemon's note that it was ready in this boot: when, by the clock that nobody sets. */
  private long readyNanos = -1;

  /** Jobs that may run in this boot. */
  private final Set<String> present = new HashSet<>();

  /** Jobs that have to, with their schedules. */
  private final Map<String, String> wanted = new HashMap<>();

  /** Jobs whose files were lost in this boot. */
  private final Set<String> damaged = new HashSet<>();

  /** The note of this boot was lost in it. */
  private boolean lost;

  BootRules(Machine machine, Circumstances around, BiFunction<Invariant, String, Violation> fail) {
    this.machine = machine;
    this.around = around;
    this.fail = fail;
  }

  /** Whether a period is a boot. */
  static boolean isBoot(String period) {
    return period.startsWith(PREFIX);
  }

  private String period() {
    return PREFIX + name();
  }

  private String name() {
    return machine.processes.bootId() + ".0";
  }

  /** A daemon starts with these jobs. */
  void started(Map<String, JobEntry> now, Map<String, JobWitness> jobs) {
    if (!boot.equals(name())) {
      boot = name();
      readyNanos = -1;
      lost = false;
      present.clear();
      wanted.clear();
      damaged.clear();
    }
    noted(machine.disk.content(FILE)); // also where that is not durable yet
    if (readyNanos >= 0) {
      return;
    }
    now.forEach(
        (identity, entry) -> {
          if (entry.times().isBoot()) {
            present.add(identity);
            JobWitness job = jobs.get(identity);
            if (!around.readErrors && (job == null || !job.damaged)) {
              wanted.put(identity, entry.schedule());
            }
          }
        });
  }

  /** A daemon has read these files: what they do not have is not wanted any more. */
  void read(Map<String, JobEntry> read) {
    wanted.entrySet().removeIf(it -> !isSame(read.get(it.getKey()), it.getValue()));
  }

  private static boolean isSame(@Nullable JobEntry entry, String schedule) {
    return entry != null && entry.schedule().equals(schedule);
  }

  /** A file is durable. */
  void durable(Path file, byte[] content) {
    if (file.equals(FILE)) {
      noted(content);
    }
  }

  private void noted(byte @Nullable [] content) {
    String text = content == null ? "" : new String(content, US_ASCII);
    if (text.contains("\nboot " + name() + "\n") && text.contains("\nsum ")) {
      int ready = text.indexOf("\nready ") + 1;
      String[] words = text.substring(ready, text.indexOf('\n', ready)).split(" ");
      readyNanos = Long.parseLong(words[2]);
    }
  }

  /** The note is there no more: the next daemon is the first again. */
  void lost() {
    readyNanos = -1;
    lost = true;
    wanted.clear();
  }

  /** The file of a job is lost: the job waits for the next boot. */
  void excused(String identity, JobWitness job) {
    wanted.remove(identity);
    damaged.add(identity);
    forget(identity, job);
  }

  /** A job's file tells of its boots again. */
  void told(StateView now) {
    if (now.active().stream().anyMatch(run -> isBoot(run.period()))
        || now.history().stream().anyMatch(entry -> isBoot(entry.period()))) {
      damaged.remove(now.identity());
    }
  }

  /** An operator had the job begin anew: it may wait for the next boot. */
  void released(String identity) {
    wanted.remove(identity);
  }

  /**
   * Nobody knows that a job ran in a boot once the note of the boot and the file of the job are
   * lost.
   */
  private void forget(String identity, JobWitness job) {
    if (lost && damaged.contains(identity)) {
      job.executed.keySet().removeIf(BootRules::isBoot);
      job.begun.keySet().removeIf(BootRules::isBoot);
      job.outcomes.keySet().removeIf(BootRules::isBoot);
    }
  }

  /** The same, for all jobs. */
  void forget(Map<String, JobWitness> jobs) {
    jobs.forEach(this::forget);
  }

  /** A job is to run in a boot from now on. */
  void decided(String identity, @Nullable StateView before, Active run) {
    JobEntry spec = around.entry(identity);
    if (spec == null || around.undecided) {
      return;
    }
    String what = identity + " runs " + run + " in " + period();
    if ((before != null && before.suspended()) || spec.suspend()) {
      throw fail.apply(Invariant.SUSPENDED_STARTS_NOTHING, what);
    }
    if (!run.period().equals(period()) || !spec.times().isBoot()) {
      throw fail.apply(Invariant.BOOTS_ARE_TRUE, what + ", its file: " + spec.schedule());
    }
    if (!present.contains(identity)) {
      throw fail.apply(Invariant.BOOTS_ARE_TRUE, what + " and was not there when it began");
    }
    long after = spec.times().secondsAfterBoot(run.period()) * SECOND;
    if (readyNanos >= 0 && machine.clock.bootNanos() < readyNanos + after) {
      throw fail.apply(Invariant.BOOTS_ARE_TRUE, what + " before its second");
    }
  }

  /** A run or period of a boot has this on record from now on. */
  void ended(String identity, Entry entry) {
    if (entry.why().cause().equals("late") && entry.attempt() == 1) {
      throw fail.apply(Invariant.BOOTS_ARE_TRUE, identity + " was too late for a boot: " + entry);
    }
  }

  /** When faults have stopped, nothing waits whose second has come. */
  void settled(Map<String, JobEntry> specs, Map<String, JobWitness> jobs) {
    if (lost || around.readErrors) {
      return;
    }
    if (readyNanos < 0 && !wanted.isEmpty()) {
      throw fail.apply(Invariant.BOOTS_ARE_NOT_LOST, "nobody noted " + period() + " for " + wanted);
    }
    wanted.forEach(
        (identity, schedule) -> {
          JobEntry spec = specs.get(identity);
          JobWitness job = jobs.getOrDefault(identity, new JobWitness());
          if (spec == null || spec.suspend() || !isSame(spec, schedule)) {
            return;
          }
          if (job.last != null && job.last.suspended()) {
            return;
          }
          long due = readyNanos + spec.times().secondsAfterBoot(period()) * SECOND;
          boolean over = machine.clock.bootNanos() > due + SOON_NANOS;
          if (over && !job.executed.containsKey(period()) && !job.outcomes.containsKey(period())) {
            throw fail.apply(
                Invariant.BOOTS_ARE_NOT_LOST,
                identity + " has nothing of " + period() + " on record: " + job.last);
          }
        });
  }
}
