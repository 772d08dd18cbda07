package dev.kron.schedule;

import java.util.List;

/** A schedule that was rejected, with everything that is wrong in it. */
public final class ScheduleSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  ScheduleSyntaxException(List<Problem> problems) {
    super(problems.getFirst().message());
    this.problems = List.copyOf(problems);
  }

  /** All problems, in the order of the text; never empty. */
  public List<Problem> problems() {
    return problems;
  }
}
