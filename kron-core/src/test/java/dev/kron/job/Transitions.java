package dev.kron.job;

import static dev.kron.job.Given.ALLOW;
import static dev.kron.job.Given.BOOT;
import static dev.kron.job.Given.FORBID;
import static dev.kron.job.Given.NONE;
import static dev.kron.job.Given.REPLACE;
import static dev.kron.job.Given.at;
import static dev.kron.job.Given.chosen;
import static dev.kron.job.Given.due;
import static dev.kron.job.Given.exited;
import static dev.kron.job.Given.late;
import static dev.kron.job.Given.period;
import static dev.kron.job.Given.unschedulable;

import dev.kron.job.JobEvent.Claimed;
import dev.kron.job.JobEvent.EndRequested;
import dev.kron.job.JobEvent.Found;
import dev.kron.job.JobEvent.LaunchFailed;
import dev.kron.job.JobEvent.Launched;
import dev.kron.job.JobEvent.LinkDue;
import dev.kron.job.JobEvent.LinkPaid;
import dev.kron.job.JobEvent.LinksSettled;
import dev.kron.job.JobEvent.NeverBegan;
import dev.kron.job.JobEvent.PastDropped;
import dev.kron.job.JobEvent.PeriodDue;
import dev.kron.job.JobEvent.Recovered;
import dev.kron.job.JobEvent.Released;
import dev.kron.job.JobEvent.Resumed;
import dev.kron.job.JobEvent.RetryDropped;
import dev.kron.job.JobEvent.RetryDue;
import dev.kron.job.JobEvent.RunRequested;
import dev.kron.job.JobEvent.StopRequested;
import dev.kron.job.JobEvent.Suspended;
import dev.kron.job.JobEvent.TimedOut;
import dev.kron.job.JobEvent.Unendable;
import dev.kron.schedule.Policy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What the machine does, as a table that is executed and drawn. */
final class Transitions {
  /** What a job is about, as far as the diagram is concerned. */
  enum Kind {
    IDLE,
    BUSY,
    REPLACING,
    RETRYING;

    JobState example() {
      return switch (this) {
        case IDLE -> Given.IDLE;
        case BUSY -> Given.BUSY;
        case REPLACING -> Given.REPLACING;
        case RETRYING -> Given.RETRYING;
      };
    }

    static Kind of(JobState state) {
      if (state.active().isEmpty()) {
        return state.retry() == null ? IDLE : RETRYING;
      }
      boolean waits =
          state.active().stream().anyMatch(run -> run.phase() == ActiveRun.Phase.WAITING);
      return waits ? REPLACING : BUSY;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * @param when what about the event or the job decides
   * @param meaning what is recorded and what is done, "nothing" where the event is ignored
   */
  record Transition(
      Kind from, JobEvent event, String when, Policy policy, Kind to, String meaning) {
    /** A job that has anything to do with retries has two. */
    RunRules rules() {
      boolean retries = from == Kind.RETRYING || to == Kind.RETRYING;
      return new RunRules(policy, retries ? Given.TWICE : RetryPolicy.NONE);
    }

    String eventName() {
      return event.getClass().getSimpleName();
    }

    @Override
    public String toString() {
      return from + " " + eventName() + (when.isEmpty() ? "" : ", " + when);
    }
  }

  private static final NeverBegan NEVER_BEGAN =
      new NeverBegan("r2", PeriodDue.SEEN, "new", BOOT, at(9));
  private static final NeverBegan NEVER_BEGAN_LATE = new NeverBegan("r2", 1, "new", BOOT, at(9));
  private static final LaunchFailed LAUNCH_FAILED =
      new LaunchFailed("r2", "exec", "not found", at(9));
  private static final EndRequested END_REQUESTED = new EndRequested(null, "ada", 0, at(9));
  private static final Released RELEASED = new Released(NONE, null, NONE, chosen(9), at(9));

  private static final Links.Owed OWED = new Links.Owed("/a:b", "cause", at(9));
  private static final LinkDue LINK_DUE = new LinkDue(OWED, "/a:a", "new", BOOT, at(9));
  private static final Claimed CLAIMED = new Claimed(Given.intended("new", 4));
  private static final Found FOUND =
      new Found(
          HistoryEntry.builder(chosen(1), Outcome.EXECUTED)
              .runId("r7")
              .exitCode(0)
              .success(true)
              .build());
  private static final RetryDue RETRY_DUE =
      new RetryDue(chosen(2) + 40, PeriodDue.SEEN, "new", BOOT, at(2));
  private static final RetryDue RETRY_LATE = new RetryDue(chosen(2), 3601, "new", BOOT, at(9));

  /** Every pair of a kind of state and an event is in it; {@link TransitionsTest} sees to that. */
  static final List<Transition> ALL = all();

  private Transitions() {}

  private static List<Transition> all() {
    List<Transition> table = new ArrayList<>();
    table.addAll(idle());
    table.addAll(busy());
    table.addAll(replacing());
    table.addAll(retrying());
    for (Kind kind : Kind.values()) {
      table.add(to(kind, new LinkPaid(OWED), "not owed", FORBID, kind, "nothing"));
      table.add(to(kind, new LinksSettled(List.of("n")), "none taken", FORBID, kind, "nothing"));
    }
    table.add(to(Kind.IDLE, CLAIMED, "", FORBID, Kind.BUSY, "Launch"));
    table.add(to(Kind.RETRYING, CLAIMED, "", FORBID, Kind.BUSY, "Launch"));
    table.add(to(Kind.BUSY, CLAIMED, "forbid", FORBID, Kind.BUSY, "skipped"));
    table.add(to(Kind.BUSY, CLAIMED, "allow", ALLOW, Kind.BUSY, "Launch"));
    table.add(to(Kind.BUSY, CLAIMED, "replace", REPLACE, Kind.REPLACING, "End"));
    table.add(to(Kind.REPLACING, CLAIMED, "forbid by now", FORBID, Kind.REPLACING, "skipped"));
    for (Kind kind : Kind.values()) {
      table.add(to(kind, FOUND, "", FORBID, kind, "executed"));
    }
    table.add(to(Kind.IDLE, LINK_DUE, "", FORBID, Kind.BUSY, "Launch"));
    table.add(to(Kind.RETRYING, LINK_DUE, "", FORBID, Kind.BUSY, "Launch"));
    table.add(to(Kind.BUSY, LINK_DUE, "forbid", FORBID, Kind.BUSY, "skipped"));
    table.add(to(Kind.BUSY, LINK_DUE, "allow", ALLOW, Kind.BUSY, "Launch"));
    table.add(to(Kind.BUSY, LINK_DUE, "replace", REPLACE, Kind.REPLACING, "End"));
    table.add(to(Kind.REPLACING, LINK_DUE, "forbid by now", FORBID, Kind.REPLACING, "skipped"));
    for (Kind kind : List.of(Kind.IDLE, Kind.BUSY, Kind.REPLACING)) {
      table.add(to(kind, RETRY_DUE, "nothing waits", FORBID, kind, "nothing"));
      table.add(to(kind, new RetryDropped(), "nothing waits", FORBID, kind, "nothing"));
      table.add(to(kind, new Suspended(), "", FORBID, kind, "written"));
      table.add(to(kind, new Resumed(), "not suspended", FORBID, kind, "nothing"));
      table.add(
          to(
              kind,
              new PastDropped("other", 9, false),
              "another schedule",
              FORBID,
              kind,
              "written"));
      table.add(
          to(
              kind,
              new PastDropped("fingerprint", 9, false),
              "the same schedule",
              FORBID,
              kind,
              "nothing"));
      table.add(to(kind, RELEASED, "held", FORBID, kind, "executed again on record, as released"));
      table.add(
          to(
              kind,
              new Released(period(1), Outcome.EXECUTED, chosen(1), chosen(9), at(9)),
              "not held",
              FORBID,
              kind,
              "nothing"));
    }
    return List.copyOf(table);
  }

  private static List<Transition> retrying() {
    Kind kind = Kind.RETRYING;
    return List.of(
        to(kind, RETRY_DUE, "in time", FORBID, Kind.BUSY, "Launch"),
        to(kind, RETRY_LATE, "late beyond retrymax", FORBID, Kind.IDLE, "Alert"),
        to(kind, new RetryDropped(), "", FORBID, Kind.IDLE, "Alert"),
        to(kind, due(3, "new"), "in time", FORBID, Kind.BUSY, "Alert, Launch"),
        to(kind, late(3, "new", 1), "late", FORBID, Kind.IDLE, "missed, Alert, Alert"),
        to(
            kind,
            unschedulable(3),
            "no second found",
            FORBID,
            Kind.IDLE,
            "unschedulable, Alert, Alert"),
        to(kind, due(2, "new"), "handled", FORBID, kind, "nothing"),
        to(kind, new RunRequested("new", BOOT, at(9)), "", FORBID, Kind.BUSY, "Launch"),
        to(kind, new Launched("r2", 1, 1), "a late answer", FORBID, kind, "nothing"),
        to(kind, LAUNCH_FAILED, "a late answer", FORBID, kind, "nothing"),
        to(kind, exited("r2", 1), "told twice", FORBID, kind, "nothing"),
        to(kind, NEVER_BEGAN, "a late answer", FORBID, kind, "nothing"),
        to(kind, new TimedOut("r2"), "it has ended", FORBID, kind, "nothing"),
        to(kind, new Unendable("r2", at(9)), "it has ended", FORBID, kind, "nothing"),
        to(kind, new Recovered(BOOT, at(9)), "", FORBID, kind, "nothing"),
        to(kind, new StopRequested(at(9)), "", FORBID, kind, "nothing"),
        to(kind, END_REQUESTED, "all runs", FORBID, Kind.IDLE, "Alert"),
        to(kind, new EndRequested("r9", "ada", 0, at(9)), "another run", FORBID, kind, "nothing"),
        to(kind, new Suspended(), "", FORBID, Kind.IDLE, "Alert"),
        to(kind, new Resumed(), "not suspended", FORBID, kind, "nothing"),
        to(
            kind,
            new PastDropped("other", 9, false),
            "another schedule",
            FORBID,
            Kind.IDLE,
            "Alert"),
        to(
            kind,
            new PastDropped("fingerprint", 9, false),
            "the same schedule",
            FORBID,
            kind,
            "nothing"),
        to(
            kind,
            new Released(period(1), Outcome.EXECUTED, chosen(1), chosen(9), at(9)),
            "",
            FORBID,
            Kind.IDLE,
            "executed again on record, as released, Alert"));
  }

  private static List<Transition> idle() {
    Kind kind = Kind.IDLE;
    return List.of(
        to(kind, due(2, "new"), "in time", FORBID, Kind.BUSY, "Launch"),
        to(kind, late(2, "new", 1), "late beyond the deadline", FORBID, kind, "missed, Alert"),
        to(kind, unschedulable(2), "no second found", FORBID, kind, "unschedulable, Alert"),
        to(kind, due(1, "new"), "handled", FORBID, kind, "nothing"),
        to(kind, new RunRequested("new", BOOT, at(9)), "", FORBID, Kind.BUSY, "Launch"),
        to(kind, new Launched("r1", 1, 1), "a late answer", FORBID, kind, "nothing"),
        to(kind, LAUNCH_FAILED, "a late answer", FORBID, kind, "nothing"),
        to(kind, exited("r1", 0), "told twice", FORBID, kind, "nothing"),
        to(kind, NEVER_BEGAN, "a late answer", FORBID, kind, "nothing"),
        to(kind, new TimedOut("r1"), "it has ended", FORBID, kind, "nothing"),
        to(kind, new Unendable("r1", at(9)), "it has ended", FORBID, kind, "nothing"),
        to(kind, new Recovered(BOOT, at(9)), "", FORBID, kind, "nothing"),
        to(kind, new StopRequested(at(9)), "", FORBID, kind, "nothing"),
        to(kind, END_REQUESTED, "it has ended", FORBID, kind, "nothing"));
  }

  private static List<Transition> busy() {
    Kind kind = Kind.BUSY;
    RunRequested request = new RunRequested("new", BOOT, at(9));
    return List.of(
        to(kind, due(3, "new"), "forbid", FORBID, kind, "skipped"),
        to(kind, due(3, "new"), "allow", ALLOW, kind, "Launch"),
        to(kind, due(3, "new"), "replace", REPLACE, Kind.REPLACING, "End"),
        to(kind, late(3, "new", 1), "late beyond the deadline", REPLACE, kind, "missed, Alert"),
        to(kind, unschedulable(3), "no second found", REPLACE, kind, "unschedulable, Alert"),
        to(kind, due(2, "new"), "handled", ALLOW, kind, "nothing"),
        to(kind, request, "forbid", FORBID, kind, "nothing"),
        to(kind, request, "allow", ALLOW, kind, "Launch"),
        to(kind, request, "replace", REPLACE, Kind.REPLACING, "End"),
        to(kind, new Launched("r2", 5, 5), "", FORBID, kind, "written"),
        to(kind, LAUNCH_FAILED, "the last run", FORBID, Kind.IDLE, "executed, Alert"),
        to(kind, exited("r2", 0), "the last run, 0", FORBID, Kind.IDLE, "executed"),
        to(kind, exited("r2", 1), "the last run, not 0", FORBID, Kind.IDLE, "executed, Alert"),
        to(kind, exited("r2", 1), "not 0, an attempt is left", FORBID, Kind.RETRYING, "executed"),
        to(kind, LAUNCH_FAILED, "an attempt is left", FORBID, Kind.RETRYING, "executed"),
        to(kind, NEVER_BEGAN, "in time", FORBID, kind, "Launch"),
        to(kind, NEVER_BEGAN_LATE, "late beyond the deadline", FORBID, Kind.IDLE, "missed, Alert"),
        to(kind, new TimedOut("r2"), "", FORBID, kind, "End"),
        to(kind, new Unendable("r2", at(9)), "", FORBID, kind, "nothing"),
        to(kind, new Recovered(BOOT, at(9)), "", FORBID, kind, "nothing"),
        to(kind, new StopRequested(at(9)), "", FORBID, kind, "End"),
        to(kind, END_REQUESTED, "", FORBID, kind, "End"),
        to(kind, new EndRequested("r9", "ada", 0, at(9)), "another run", FORBID, kind, "nothing"));
  }

  private static List<Transition> replacing() {
    Kind kind = Kind.REPLACING;
    RunRequested request = new RunRequested("new", BOOT, at(9));
    return List.of(
        to(kind, due(4, "new"), "replace", REPLACE, kind, "skipped (the one that waited)"),
        to(kind, due(4, "new"), "forbid by now", FORBID, kind, "skipped"),
        to(kind, due(4, "new"), "allow by now", ALLOW, Kind.BUSY, "Launch, Launch"),
        to(kind, late(4, "new", 1), "late beyond the deadline", REPLACE, kind, "missed, Alert"),
        to(kind, unschedulable(4), "no second found", REPLACE, kind, "unschedulable, Alert"),
        to(kind, due(3, "new"), "handled", REPLACE, kind, "nothing"),
        to(kind, request, "replace", REPLACE, kind, "skipped (the one that waited)"),
        to(kind, request, "forbid by now", FORBID, kind, "nothing"),
        to(kind, request, "allow by now", ALLOW, Kind.BUSY, "Launch, Launch"),
        to(kind, new Launched("r2", 5, 5), "", REPLACE, kind, "written"),
        to(kind, LAUNCH_FAILED, "the last one", REPLACE, Kind.BUSY, "executed, Alert, Launch"),
        to(kind, exited("r2", 0), "the last one", REPLACE, Kind.BUSY, "executed, Launch"),
        to(kind, exited("r3", 0), "the one that waits", REPLACE, kind, "nothing"),
        to(kind, NEVER_BEGAN, "the last one", REPLACE, Kind.BUSY, "missed, Launch"),
        to(kind, new TimedOut("r2"), "being ended already", REPLACE, kind, "nothing"),
        to(kind, new Unendable("r2", at(9)), "", REPLACE, Kind.BUSY, "missed, Alert"),
        to(kind, new Recovered(BOOT, at(9)), "the same boot", REPLACE, kind, "End"),
        to(
            kind,
            new Recovered("boot-2", at(9)),
            "another boot",
            REPLACE,
            Kind.BUSY,
            "missed, Alert"),
        to(kind, new StopRequested(at(9)), "", REPLACE, Kind.BUSY, "missed, Alert"),
        to(kind, END_REQUESTED, "", REPLACE, Kind.BUSY, "skipped (the one that waited), End"));
  }

  private static Transition to(
      Kind from, JobEvent event, String when, Policy policy, Kind to, String meaning) {
    return new Transition(from, event, when, policy, to, meaning);
  }

  /** What a step records and does, in the words of the table. */
  static String meaning(Step step) {
    List<String> words = new ArrayList<>();
    step.history().forEach(entry -> words.add(entry.outcome().text()));
    step.effects().forEach(effect -> words.add(effect.getClass().getSimpleName()));
    if (words.isEmpty()) {
      return step.changed() ? "written" : "nothing";
    }
    return String.join(", ", words);
  }
}
