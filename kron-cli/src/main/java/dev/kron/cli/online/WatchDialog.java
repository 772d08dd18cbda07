package dev.kron.cli.online;

import dev.kron.cli.output.Keyboard;
import dev.kron.cli.output.Keyboard.Stroke;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The bottom line of {@code kron watch}: a filter while it is typed, a question while it waits for
 * its answer, or what became of the last action. While it is open all keys are for it.
 */
final class WatchDialog {
  static final List<String> HELP =
      List.of(
          "1 to 5, Tab    other pages",
          "Up Down, j k   move; PgUp PgDn, Home End, g G",
          "Enter          what it writes; Esc back",
          "/              only lines with this text",
          "s              another order",
          "t              trigger a job, start a service",
          "x              stop runs, a run, a service",
          "r              restart a service",
          "p              suspend a job, resume it",
          "q              leave",
          "",
          "What changes something asks before; y does it.");

  private static final int LONGEST_FILTER = 60;

  private String filter = "";
  private boolean typing;
  private @Nullable WatchAction asked;
  private boolean help;
  private String said = "";

  /** Whether a line matches the filter. */
  boolean accepts(String text) {
    return filter.isEmpty()
        || text.toLowerCase(Locale.ROOT).contains(filter.toLowerCase(Locale.ROOT));
  }

  String filter() {
    return filter;
  }

  boolean isHelp() {
    return help;
  }

  /** Whether all keys are for it. */
  boolean isOpen() {
    return typing || asked != null || help;
  }

  /** The text of the line; empty if there is none. */
  String text() {
    if (typing) {
      return "only lines with: " + filter + "_";
    }
    return asked == null ? said : asked.question() + " [y/N]";
  }

  void type() {
    typing = true;
    said = "";
  }

  void showHelp() {
    help = true;
  }

  void ask(WatchAction action) {
    asked = action;
    said = "";
  }

  void say(String what) {
    said = what;
  }

  /** The filter ends with Esc; says whether there was one. */
  boolean clear() {
    boolean was = !filter.isEmpty();
    filter = "";
    said = "";
    return was;
  }

  /** Takes a key while it is open; returns an action after a yes. */
  @Nullable WatchAction press(Keyboard.Key key) {
    WatchAction action = asked;
    help = false;
    if (action != null) {
      asked = null;
      boolean yes = key.letter() == 'y' || key.letter() == 'Y';
      said = yes ? "" : "nothing was done";
      return yes ? action : null;
    }
    if (typing) {
      edit(key);
    }
    return null;
  }

  private void edit(Keyboard.Key key) {
    if (key.letter() != 0) {
      filter = filter.length() < LONGEST_FILTER ? filter + key.letter() : filter;
    } else if (key.stroke() == Stroke.ERASE) {
      filter = filter.isEmpty() ? "" : filter.substring(0, filter.length() - 1);
    } else if (key.stroke() == Stroke.OPEN) {
      typing = false;
    } else if (key.stroke() == Stroke.BACK) {
      typing = false;
      filter = "";
    }
  }
}
