package dev.kron.cli.online;

import dev.kron.cli.line.RefusedException;
import dev.kron.cli.output.Keyboard;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Screen;
import dev.kron.cli.output.Style;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The screen of {@code kron watch}: its page, the place in it, and how it is drawn. */
final class WatchScreen implements AutoCloseable {
  private static final int FRAME_LINES = 2;

  /** The width from which the heading names all pages. */
  private static final int WIDE = 70;

  private static final String MARK = "> ";
  private static final String NO_MARK = "  ";

  /** What there is to look at. */
  enum View {
    STATUS("1 status"),
    JOBS("2 jobs"),
    SERVICES("3 services"),
    RUNS("4 runs"),
    EVENTS("5 events"),
    LOG("log");

    private final String title;

    View(String title) {
      this.title = title;
    }

    /** Whether a line of it is something that can be opened. */
    boolean hasRows() {
      return this == JOBS || this == SERVICES || this == RUNS;
    }

    /** Whether the newest is at its end. */
    boolean grows() {
      return this == EVENTS || this == LOG;
    }
  }

  /** The pages that have a number; the log is behind a row of one of them. */
  private static final List<View> PAGES =
      List.of(View.STATUS, View.JOBS, View.SERVICES, View.RUNS, View.EVENTS);

  /** A position on a page. */
  private static final class Place {
    int row;
    int top;
    boolean atEnd = true;
  }

  private final WatchSource source;
  private final LongSupplier now;
  private final Map<View, Place> places = new EnumMap<>(View.class);
  private View view = View.STATUS;
  private View before = View.JOBS;
  private WatchSource.Page page = WatchSource.Page.EMPTY;
  private WatchSource.@Nullable Subject opened;
  private final WatchDialog dialog = new WatchDialog();
  private final Map<View, Integer> orders = new EnumMap<>(View.class);
  private @Nullable String trouble;
  private boolean left;
  private long lookedForMillis;
  private int room = 1;
  private int lines;

  WatchScreen(Api api, LongSupplier now) {
    this.source = new WatchSource(api);
    this.now = now;
    for (View each : View.values()) {
      places.put(each, new Place());
    }
  }

  private Place place() {
    return Objects.requireNonNull(places.get(view));
  }

  /** Asks the daemon for what the present page shows. */
  void refresh() throws IOException {
    long began = System.nanoTime();
    page = source.page(view, opened, order(), dialog::accepts, now.getAsLong());
    trouble = null;
    lookedForMillis = (System.nanoTime() - began) / 1_000_000;
  }

  /** How long the daemon took for its last answer. */
  long lookedForMillis() {
    return lookedForMillis;
  }

  /** The daemon does not answer; the last page stays. */
  void troubled(String what) {
    trouble = what;
  }

  private WatchOrder order() {
    List<WatchOrder> known = WatchOrder.of(view);
    return known.get(Math.floorMod(orders.getOrDefault(view, 0), known.size()));
  }

  /** Whether the user wants to leave. */
  boolean isLeft() {
    return left;
  }

  /** Takes a key, and says whether there is something else to ask the daemon for now. */
  boolean press(Keyboard.Key key) {
    if (dialog.isOpen()) {
      WatchAction agreed = dialog.press(key);
      if (agreed != null) {
        attempt(() -> dialog.say(source.perform(agreed)));
      }
      return true;
    }
    dialog.say("");
    return switch (key.letter()) {
      case '/' -> {
        dialog.type();
        yield false;
      }
      case '?' -> {
        dialog.showHelp();
        yield false;
      }
      case 's' -> {
        orders.merge(view, 1, Integer::sum);
        yield true;
      }
      case 't', 'x', 'r', 'p' -> ask(key.letter());
      default -> press(key.stroke());
    };
  }

  private boolean ask(char key) {
    int row = place().row;
    if (view.hasRows() && row < page.subjects().size()) {
      attempt(
          () -> {
            WatchAction action = source.action(key, page.subjects().get(row));
            if (action != null) {
              dialog.ask(action);
            }
          });
    }
    return false;
  }

  /** Something that a daemon may refuse. */
  private interface Attempt {
    void run() throws IOException;
  }

  private void attempt(Attempt attempt) {
    try {
      attempt.run();
    } catch (RefusedException e) {
      dialog.say(e.lines().getFirst());
    } catch (IOException e) {
      dialog.say("the daemon hung up: " + e.getMessage());
    }
  }

  private boolean press(Keyboard.Stroke key) {
    return switch (key) {
      case ONE -> show(View.STATUS);
      case TWO -> show(View.JOBS);
      case THREE -> show(View.SERVICES);
      case FOUR -> show(View.RUNS);
      case FIVE -> show(View.EVENTS);
      case NEXT -> show(neighbour(1));
      case PREVIOUS -> show(neighbour(-1));
      case OPEN -> open();
      case BACK, ERASE -> dialog.clear() || (view == View.LOG && show(before));
      case UP -> move(-1);
      case DOWN -> move(1);
      case PAGE_UP -> move(-room);
      case PAGE_DOWN -> move(room);
      case FIRST -> move(Integer.MIN_VALUE / 2);
      case LAST -> move(Integer.MAX_VALUE / 2);
      case QUIT -> {
        left = true;
        yield false;
      }
      case NOTHING -> false;
    };
  }

  private View neighbour(int step) {
    View from = view == View.LOG ? before : view;
    return PAGES.get(Math.floorMod(PAGES.indexOf(from) + step, PAGES.size()));
  }

  private boolean show(View next) {
    view = next;
    page = WatchSource.Page.EMPTY;
    return true;
  }

  private boolean open() {
    int row = place().row;
    if (!view.hasRows() || row >= page.subjects().size()) {
      return false;
    }
    opened = page.subjects().get(row);
    before = view;
    places.put(View.LOG, new Place());
    return show(View.LOG);
  }

  private boolean move(int by) {
    Place place = place();
    if (view.hasRows()) {
      place.row = Math.clamp((long) place.row + by, 0, Math.max(0, page.subjects().size() - 1));
    } else {
      place.top = Math.clamp((long) place.top + by, 0, lastTop());
      place.atEnd = place.top == lastTop();
    }
    return false;
  }

  private int lastTop() {
    return Math.max(0, lines - room);
  }

  void draw(Screen screen) throws IOException {
    screen.begin();
    Output out = screen.output();
    boolean framed = screen.height() > FRAME_LINES + 1;
    room = Math.max(1, screen.height() - (framed ? FRAME_LINES : 0));
    if (framed) {
      heading(out, screen.width());
    }
    int drawn = body(out, screen.width());
    if (framed) {
      for (int i = drawn; i < room; i++) {
        out.line();
      }
      footing(out);
    }
    screen.end();
  }

  private void heading(Output out, int width) throws IOException {
    if (trouble != null) {
      out.styled(Style.RED, trouble + "; trying again");
    } else {
      for (View each : PAGES) {
        boolean here = each == (view == View.LOG ? before : view);
        String name = here || width >= WIDE ? each.title : each.title.substring(0, 1);
        out.styled(here ? Style.BOLD : Style.DIM, here ? "[" + name + "]" : " " + name + " ");
        out.print(width >= WIDE ? " " : "");
      }
      out.print(page.title());
      out.print(dialog.filter().isEmpty() ? "" : " with " + dialog.filter());
    }
    out.line();
  }

  private void footing(Output out) throws IOException {
    if (!dialog.text().isEmpty()) {
      out.styled(Style.BOLD, dialog.text());
      return;
    }
    String keys =
        view == View.LOG
            ? "q quit  ? keys  Esc back  PgUp PgDn scroll  End follow"
            : view.hasRows()
                ? "q quit  ? keys  Tab next page  Up Down move  Enter log"
                : "q quit  ? keys  Tab next page  Up Down scroll";
    out.styled(Style.DIM, keys);
  }

  /** Draws the part of the page that fits; returns the number of lines. */
  private int body(Output out, int width) throws IOException {
    if (dialog.isHelp()) {
      int shown = Math.min(room, WatchDialog.HELP.size());
      for (String line : WatchDialog.HELP.subList(0, shown)) {
        out.line(line);
      }
      return shown;
    }
    var text = new ByteArrayOutputStream();
    Output drawing = out.onto(text, view.hasRows() ? Math.max(1, width - MARK.length()) : width);
    page.draw(drawing);
    drawing.flush();
    String all = text.toString(StandardCharsets.UTF_8);
    List<String> found = new ArrayList<>(all.isEmpty() ? List.of() : List.of(all.split("\n")));
    if (!view.hasRows()) {
      found.removeIf(line -> !dialog.accepts(line));
    }
    return view.hasRows() ? rows(out, found) : scrolled(out, found);
  }

  /** Draws a table: its heading stays, and the selected row is marked and visible. */
  private int rows(Output out, List<String> found) throws IOException {
    if (found.isEmpty()) {
      return 0;
    }
    String heading = found.removeFirst();
    Place place = place();
    int seen = Math.max(1, room - 1);
    place.row = Math.clamp(place.row, 0, Math.max(0, found.size() - 1));
    place.top = Math.clamp(place.top, Math.max(0, place.row - seen + 1), place.row);
    if (room > 1) {
      plain(out, NO_MARK + heading);
    }
    int end = Math.min(found.size(), place.top + seen);
    for (int i = place.top; i < end; i++) {
      plain(out, (i == place.row ? MARK : NO_MARK) + found.get(i));
    }
    return end - place.top + (room > 1 ? 1 : 0);
  }

  private int scrolled(Output out, List<String> found) throws IOException {
    Place place = place();
    lines = found.size();
    if (view.grows() && place.atEnd) {
      place.top = lastTop();
    }
    place.top = Math.clamp(place.top, 0, lastTop());
    int end = Math.min(found.size(), place.top + room);
    for (String line : found.subList(place.top, end)) {
      plain(out, line);
    }
    return end - place.top;
  }

  /** A line that was made harmless when it was drawn. */
  private static void plain(Output out, String line) throws IOException {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    out.octets(bytes, 0, bytes.length);
    out.line();
  }

  @Override
  public void close() {
    source.close();
  }
}
