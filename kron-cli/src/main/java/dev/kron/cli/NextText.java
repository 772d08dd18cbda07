package dev.kron.cli;

import dev.kron.cli.output.Output;
import dev.kron.cli.output.Style;
import dev.kron.cli.output.Table;
import dev.kron.cli.output.Times;
import dev.kron.cron.Boot;
import dev.kron.cron.Manual;
import dev.kron.schedule.DueTimes.Due;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The upcoming runs for people. On a terminal a line is never wider than the screen: UTC is left
 * out first, then the file of a job, then the time until the run. In a file or a pipe nothing is
 * cut.
 */
final class NextText {
  private final List<ExplainedSubject> subjects;
  private final Map<String, ExplainedSubject> following;
  private final long after;
  private final Output out;

  NextText(List<ExplainedSubject> subjects, long after, Output out) {
    this.subjects = subjects;
    this.following = following(subjects);
    this.after = after;
    this.out = out;
  }

  /** Those of which a run may be followed by others, by identity. */
  static Map<String, ExplainedSubject> following(List<ExplainedSubject> subjects) {
    Map<String, ExplainedSubject> following = new HashMap<>();
    for (ExplainedSubject subject : subjects) {
      if (subject.retry().retries() > 0 || !subject.then().isEmpty()) {
        following.put(subject.identity(), subject);
      }
    }
    return following;
  }

  void print(Iterator<Due> upcoming, int count) throws IOException {
    if (!upcoming.hasNext()) {
      out.line("Nothing is due after " + Times.utc(after) + ".");
    } else if (out.terminal()) {
      table(upcoming, count);
    } else {
      out.line("due (local time)           UTC                   in        job");
      for (int i = 0; i < count && upcoming.hasNext(); i++) {
        row(upcoming.next());
      }
    }
    withoutTimes();
  }

  private void row(Due due) throws IOException {
    String wait = wait(due);
    out.print(local(due) + "  " + Times.utc(due.dueEpochSecond()) + "  ");
    out.line(wait + " ".repeat(Math.max(2, 10 - wait.length())) + identity(due) + notes(due, "  "));
  }

  /** Prints the first of several tables that fits; the last one is cut if needed. */
  private void table(Iterator<Due> upcoming, int count) throws IOException {
    Table all = new Table("due (local time)", "UTC", "in", "job", "");
    Table withoutUtc = new Table("due (local time)", "in", "job", "");
    Table named = new Table("due (local time)", "in", "job", "");
    Table narrow = new Table("due", "job", "");
    for (int i = 0; i < count && upcoming.hasNext(); i++) {
      Due due = upcoming.next();
      Style style = willNotRun(due) ? Style.YELLOW : null;
      String name = ExplainedSubject.names(List.of(identity(due)));
      String notes = notes(due, "").strip();
      String utc = Times.utc(due.dueEpochSecond());
      all.styled(style, local(due), utc, wait(due), identity(due), notes);
      withoutUtc.styled(style, local(due), wait(due), identity(due), notes);
      named.styled(style, local(due), wait(due), name, notes);
      String clock = Times.clock(due.dueEpochSecond(), due.decision().schedule().zone(), after);
      narrow.styled(style, clock, name, notes);
    }
    for (Table table : List.of(all, withoutUtc, named)) {
      if (table.fits(out.width())) {
        table.print(out);
        return;
      }
    }
    narrow.print(out);
  }

  private static String identity(Due due) {
    return due.decision().identity();
  }

  private static String local(Due due) {
    return Times.local(due.dueEpochSecond(), due.decision().schedule().zone());
  }

  private String wait(Due due) {
    return Times.span(due.dueEpochSecond() - after);
  }

  private static boolean willNotRun(Due due) {
    return due.decision().schedule().policy().suspend() || due.decision().unschedulable();
  }

  /** What is to be said of a run beside its time. */
  private String notes(Due due, String gap) {
    List<String> notes = new ArrayList<>();
    if (due.decision().schedule().policy().suspend()) {
      notes.add("(suspended: will not run)");
    } else if (due.decision().unschedulable()) {
      notes.add("(unschedulable: will not run)");
    } else if (due.decision().chosenEpochSecond() != due.dueEpochSecond()) {
      String chosen = Times.utc(due.decision().chosenEpochSecond());
      notes.add("(chosen " + chosen + ", waits for the period before it)");
    }
    ExplainedSubject subject = following.get(identity(due));
    if (subject != null) {
      int retries = subject.retry().retries();
      if (retries > 0) {
        notes.add("(up to " + retries + (retries == 1 ? " retry)" : " retries)"));
      }
      if (!subject.then().isEmpty()) {
        notes.add("then " + ExplainedSubject.names(subject.then()));
      }
    }
    return notes.isEmpty() ? "" : gap + String.join("  ", notes);
  }

  /** Lists the jobs without times: {@code @boot} jobs, and those that only follow others. */
  private void withoutTimes() throws IOException {
    for (ExplainedSubject subject : subjects) {
      if (subject.schedule().times() instanceof Boot) {
        String boot = " runs once after each start of the machine.";
        out.folded(null, subject.identity() + boot, 2);
      } else if (subject.schedule().times() instanceof Manual && !subject.after().isEmpty()) {
        String before = ExplainedSubject.names(subject.after());
        String follows = subject.identity() + " runs after each success of " + before + ".";
        out.folded(null, follows, 2);
      }
    }
  }
}
