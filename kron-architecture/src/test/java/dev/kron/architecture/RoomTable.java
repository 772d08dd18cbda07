package dev.kron.architecture;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The table of rooms as ARCHITECTURE.md has it: each package with the packages that it may depend
 * on, and its doors, the classes that other modules may use.
 */
record RoomTable(List<Row> rows) {
  private static final String HOUSE = "dev.kron.";
  private static final String HEAD = "| module | package |";
  private static final Pattern NAME = Pattern.compile("`([\\w.]+)`");

  /**
   * A row.
   *
   * @param name the package
   * @param mayUse packages
   * @param doors simple names of top-level classes; null: every public class
   */
  record Row(String module, String name, Set<String> mayUse, @Nullable Set<String> doors) {}

  /** A class of one package that needs a class of another. */
  record Use(String from, String to, String type, String description) {}

  /** Reads the table of a page. */
  static RoomTable of(String page) {
    List<Row> rows = new ArrayList<>();
    String module = "";
    boolean within = false;
    for (String line : page.lines().toList()) {
      if (line.startsWith(HEAD)) {
        within = true;
      } else if (within && !line.startsWith("|")) {
        break;
      } else if (within && !line.startsWith("| ---")) {
        String[] cells = line.split("\\|", -1);
        module = cells[1].isBlank() ? module : cells[1].strip();
        for (String name : names(cells[2])) {
          rows.add(new Row(module, name, packages(cells[4]), doors(cells[5])));
        }
      }
    }
    return new RoomTable(rows);
  }

  private static Set<String> names(String cell) {
    var names = new LinkedHashSet<String>();
    Matcher matcher = NAME.matcher(cell);
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  private static Set<String> packages(String cell) {
    var packages = new LinkedHashSet<String>();
    names(cell).forEach(name -> packages.add(HOUSE + name));
    return packages;
  }

  private static @Nullable Set<String> doors(String cell) {
    return cell.strip().equals("all") ? null : names(cell);
  }

  /** The same table without one of its rows. */
  RoomTable without(Row row) {
    return new RoomTable(rows.stream().filter(each -> !each.equals(row)).toList());
  }

  /** The same table in which a room may not use another one. */
  RoomTable without(Row row, String arrow) {
    var fewer = new LinkedHashSet<>(row.mayUse());
    fewer.remove(arrow);
    return replacing(row, new Row(row.module(), row.name(), fewer, row.doors()));
  }

  /** The same table in which a class is no door. */
  RoomTable withoutDoor(Row row, String door) {
    var fewer = new LinkedHashSet<>(row.doors() == null ? Set.of() : row.doors());
    fewer.remove(door);
    return replacing(row, new Row(row.module(), row.name(), row.mayUse(), fewer));
  }

  private RoomTable replacing(Row row, Row other) {
    return new RoomTable(rows.stream().map(each -> each.equals(row) ? other : each).toList());
  }

  /**
   * What the house does that the table does not say, and the other way round; empty: nothing.
   *
   * @param packages all that there are
   */
  List<String> problems(Set<String> packages, Collection<Use> uses) {
    Map<String, Row> byName = new TreeMap<>();
    rows.forEach(row -> byName.put(row.name(), row));
    List<String> problems = new ArrayList<>();
    var bare = new TreeSet<>(packages);
    bare.removeAll(byName.keySet());
    bare.forEach(name -> problems.add(name + " has no row"));
    var gone = new TreeSet<>(byName.keySet());
    gone.removeAll(packages);
    gone.forEach(name -> problems.add(name + " has a row and no class"));
    for (Use use : uses) {
      Row from = byName.get(use.from());
      Row to = byName.get(use.to());
      if (from == null || to == null) {
        continue;
      }
      if (!from.mayUse().contains(use.to())) {
        problems.add(use.from() + " may not use " + use.to() + ": " + use.description());
      } else if (!from.module().equals(to.module())
          && to.doors() != null
          && !to.doors().contains(use.type())) {
        problems.add(use.type() + " is no door of " + use.to() + ": " + use.description());
      }
    }
    problems.addAll(cycles(byName));
    return problems;
  }

  /** Takes away rooms that use no other, until none is left or all that are left hang together. */
  private static List<String> cycles(Map<String, Row> byName) {
    var left = new TreeSet<>(byName.keySet());
    Deque<String> free = new ArrayDeque<>(left);
    while (!free.isEmpty()) {
      String name = free.poll();
      Row row = byName.get(name);
      if (row != null && left.contains(name) && row.mayUse().stream().noneMatch(left::contains)) {
        left.remove(name);
        free.addAll(left);
      }
    }
    return left.isEmpty() ? List.of() : List.of("a cycle in or below " + left);
  }
}
