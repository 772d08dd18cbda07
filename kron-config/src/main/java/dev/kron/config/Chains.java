package dev.kron.config;

import dev.kron.job.JobSpec;
import dev.kron.job.JobSpec.Output;
import dev.kron.text.Suggestion;
import dev.kron.text.VisibleText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The check of chains between jobs of one file: every name exists, and no chain leads back to
 * itself.
 */
final class Chains {
  private final Map<String, Link> links = new LinkedHashMap<>();

  /** The position of a field. */
  record Place(Line line, int offset) {
    void error(String message) {
      line.error(offset, message);
    }
  }

  private record Link(JobSpec job, Place place) {}

  void add(JobSpec job, Entry entry) {
    if (!job.then().isEmpty()) {
      links.put(job.name(), new Link(job, entry.place(Key.THEN)));
    }
  }

  /** Reports mistakes; called once all jobs of the file are known. */
  void check(List<JobSpec> jobs) {
    if (links.isEmpty()) {
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
        } else if (target.stdinOfCause()) {
          input(link, target);
        }
      }
    }
    Set<String> told = new HashSet<>();
    for (Link link : links.values()) {
      List<String> cycle = cycle(link.job.name(), new ArrayList<>(), new HashSet<>());
      if (cycle != null && told.add(String.join(" ", new TreeSet<>(cycle)))) {
        link.place.error(
            "then leads back to where it began: " + String.join(" → ", cycle) + "; leave one out");
      }
    }
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

  /** The path from a job back to itself; null if there is none. */
  private @Nullable List<String> cycle(String from, List<String> way, Set<String> visited) {
    way.add(from);
    Link link = links.get(from);
    if (link != null) {
      for (String next : link.job.then()) {
        if (next.equals(way.getFirst())) {
          way.add(next);
          return way;
        }
        if (visited.add(next)) {
          List<String> found = cycle(next, way, visited);
          if (found != null) {
            return found;
          }
        }
      }
    }
    way.removeLast();
    return null;
  }
}
