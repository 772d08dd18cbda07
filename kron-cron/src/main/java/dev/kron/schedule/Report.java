package dev.kron.schedule;

import dev.kron.text.VisibleText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects what is wrong in one text. Costs nothing as long as nothing is. */
final class Report {
  private final String text;
  private @Nullable List<Problem> problems;

  Report(String text) {
    this.text = text;
  }

  void add(int offset, String message) {
    if (problems == null) {
      problems = new ArrayList<>();
    }
    problems.add(new Problem(offset, message));
  }

  boolean isEmpty() {
    return problems == null;
  }

  /** All problems in the order of the text. */
  List<Problem> problems() {
    if (problems == null) {
      return List.of();
    }
    problems.sort(Comparator.comparingInt(Problem::offset));
    return List.copyOf(problems);
  }

  String quote(int start, int end) {
    return VisibleText.quote(text, start, end);
  }
}
