package dev.kron.daemon.api;

import dev.kron.job.ActiveRun;
import dev.kron.job.JobSpec;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The search for jobs, services and runs by a part of their names, best matches first. */
final class SearchEndpoint {
  private static final int MOST = 100;

  /** The shortest part of a run id that is searched for; ids begin with the time. */
  private static final int SHORTEST_RUN = 4;

  private static final int NOT_AT_ALL = Integer.MAX_VALUE;

  private final Supplier<Control> control;

  SearchEndpoint(Supplier<Control> control) {
    this.control = control;
  }

  /** A match; the smaller the rank, the better. */
  private record Found(
      int rank,
      String kind,
      String name,
      @Nullable String identity,
      @Nullable String run,
      String state) {}

  void search(Exchange exchange) throws IOException {
    String text = exchange.parameter("q", "").strip().toLowerCase(Locale.ROOT);
    int limit = (int) exchange.number("limit", 20, 0, MOST);
    Control present = control.get();
    Snapshot snapshot = Exchange.await(present.look());
    var found = new ArrayList<Found>();
    if (!text.isEmpty()) {
      jobs(text, snapshot, found);
      services(text, present.services().supervised(), found);
      runs(text, present, snapshot, found);
    }
    found.sort(Comparator.comparingInt(Found::rank).thenComparing(Found::name));
    try (var json = exchange.json()) {
      json.beginObject().name("results").beginArray();
      for (Found one : found.subList(0, Math.min(limit, found.size()))) {
        json.beginObject();
        json.member("kind", one.kind());
        json.member("name", one.name());
        json.member("identity", one.identity());
        json.member("run", one.run());
        json.member("state", one.state());
        json.endObject();
      }
      json.endArray();
      json.member("matched", found.size());
      json.member("asOf", snapshot.asOf());
      json.endObject();
    }
  }

  /** The rank of a match: the name itself, its beginning, a part of it, another text. */
  private static int rank(String text, String name, String more) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.equals(text)) {
      return 0;
    }
    if (lower.startsWith(text)) {
      return 1;
    }
    if (lower.contains(text)) {
      return 2;
    }
    return more.toLowerCase(Locale.ROOT).contains(text) ? 3 : NOT_AT_ALL;
  }

  private static void jobs(String text, Snapshot snapshot, List<Found> found) {
    for (JobView job : snapshot.jobs()) {
      JobSpec spec = job.spec();
      String description = spec == null ? null : spec.description();
      String more = job.identity() + (description == null ? "" : "\n" + description);
      int rank = rank(text, job.name(), more);
      if (rank != NOT_AT_ALL) {
        String state = job.stateAt(snapshot.wallMillis());
        found.add(new Found(rank, "job", job.name(), job.identity(), null, state));
      }
    }
  }

  private static void services(String text, SupervisionState supervised, List<Found> found) {
    for (ServiceSpec spec : supervised.graph().services().values()) {
      String more = spec.description() == null ? "" : spec.description();
      int rank = rank(text, spec.name(), more);
      if (rank != NOT_AT_ALL) {
        String state = supervised.state(spec.name()).name();
        found.add(new Found(rank, "service", spec.name(), null, null, state));
      }
    }
  }

  private static void runs(String text, Control control, Snapshot snapshot, List<Found> found) {
    if (text.length() < SHORTEST_RUN) {
      return;
    }
    for (JobView job : snapshot.jobs()) {
      for (ActiveRun run : job.state().active()) {
        if (run.runId().startsWith(text)) {
          String name = job.name();
          found.add(new Found(1, "run", name, job.identity(), run.runId(), Outcomes.RUNNING));
        }
      }
    }
    for (Control.Ended ended : control.recent()) {
      String runId = ended.entry().runId();
      if (runId != null && runId.startsWith(text)) {
        String identity = ended.identity();
        String name = identity.substring(identity.lastIndexOf(':') + 1);
        found.add(new Found(1, "run", name, identity, runId, Outcomes.of(ended.entry())));
      }
    }
  }
}
