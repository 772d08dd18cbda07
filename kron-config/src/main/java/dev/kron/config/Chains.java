package dev.kron.config;

import dev.kron.job.JobSpec;
import dev.kron.job.JobSpec.Output;
import dev.kron.text.Suggestion;
import dev.kron.text.VisibleText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The check of chains between jobs of one file: every name exists, and no chain leads back to
 * itself.
 */
final class Chains {
  /** Whoever has mended these is told of more. */
  private static final int MOST_CYCLES = 10;

  private static final int SHOWN = 10;

  private final Map<String, Link> links = new LinkedHashMap<>();

  /** The position of a field. */
  record Place(Line line, int offset) {
    void error(String message) {
      line.error(offset, message);
    }

    void warning(String message) {
      line.warning(offset, message);
    }
  }

  private record Link(JobSpec job, Place place) {}

  /** Places of {@code stdin=cause}, by the name of the job. */
  private final Map<String, Place> inputs = new LinkedHashMap<>();

  void add(JobSpec job, Entry entry) {
    if (job.stdinOfCause()) {
      inputs.put(job.name(), entry.place(Key.STDIN));
    }
    if (!job.then().isEmpty()) {
      links.put(job.name(), new Link(job, entry.place(Key.THEN)));
    }
  }

  /** Reports mistakes; called once all jobs of the file are known. */
  void check(List<JobSpec> jobs) {
    if (links.isEmpty() && inputs.isEmpty()) {
      return;
    }
    Map<String, JobSpec> named = HashMap.newHashMap(jobs.size());
    jobs.forEach(job -> named.put(job.name(), job));
    for (Link link : links.values()) {
      Set<String> seen = new HashSet<>();
      for (String name : link.job.then()) {
        if (!seen.add(name)) {
          link.place.error("then names " + VisibleText.quote(name) + " twice");
        }
        JobSpec target = named.get(name);
        if (target == null) {
          link.place.error(unknown(name, named));
        } else {
          if (target.stdinOfCause()) {
            input(link, target);
          }
          if (target.schedule().policy().suspend()) {
            link.place.warning(
                VisibleText.quote(name) + " is suspended: it is skipped, and never started");
          }
        }
      }
    }
    for (List<String> cycle : cycles()) {
      Link link = links.get(cycle.getFirst());
      if (link != null) {
        link.place.error("then leads back to where it began: " + shown(cycle) + "; leave one out");
      }
    }
    Set<String> followers = new HashSet<>();
    links.values().forEach(link -> followers.addAll(link.job.then()));
    inputs.forEach(
        (name, place) -> {
          if (!followers.contains(name)) {
            place.warning("stdin=cause, and no job names it in then: its input is always empty");
          }
        });
  }

  /** A long way is told by both of its ends. */
  private static String shown(List<String> way) {
    int names = way.size();
    return names <= SHOWN
        ? String.join(" → ", way)
        : String.join(" → ", way.subList(0, SHOWN / 2))
            + " → … → "
            + String.join(" → ", way.subList(names - SHOWN / 2, names));
  }

  private static String unknown(String name, Map<String, JobSpec> named) {
    String nearest = Suggestion.nearest(List.copyOf(named.keySet()), name);
    return "then names "
        + VisibleText.quote(name)
        + ", which is no job of this file"
        + (nearest == null ? "" : "; did you mean " + VisibleText.quote(nearest) + "?");
  }

  private static void input(Link link, JobSpec target) {
    JobSpec cause = link.job;
    String what = VisibleText.quote(target.name()) + " has stdin=cause, ";
    boolean captured =
        cause.stdout() instanceof Output.Inherit || cause.stdout() instanceof Output.Syslog;
    if (!captured) {
      link.place.error(what + "and stdout of this job is not captured: leave its stdout out");
    }
    if (!Objects.equals(cause.user(), target.user())) {
      link.place.error(what + "which is allowed between jobs of the same user only");
    }
  }

  /**
   * Ways that lead back to where they began, one for each job that closes one. Without recursion: a
   * chain may be as long as its file.
   */
  private List<List<String>> cycles() {
    List<List<String>> found = new ArrayList<>();
    Set<String> done = new HashSet<>();
    for (String start : links.keySet()) {
      var way = new LinkedHashMap<String, Iterator<String>>();
      String at = done.contains(start) ? null : start;
      while (at != null) {
        Link link = links.get(at);
        Iterator<String> left =
            way.computeIfAbsent(
                at, key -> link == null ? Collections.emptyIterator() : link.job.then().iterator());
        if (!left.hasNext()) {
          done.add(at);
          way.remove(at);
          at = way.isEmpty() ? null : way.sequencedKeySet().getLast();
          continue;
        }
        String next = left.next();
        if (way.containsKey(next)) {
          List<String> names = new ArrayList<>(way.keySet());
          List<String> cycle = new ArrayList<>(names.subList(names.indexOf(next), names.size()));
          cycle.add(next);
          found.add(cycle);
          if (found.size() == MOST_CYCLES) {
            return found;
          }
        } else if (!done.contains(next)) {
          at = next;
        }
      }
    }
    return found;
  }
}
