package dev.kron.cli;

import dev.kron.cli.line.HelpText;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Output;
import dev.kron.job.FleetNames;
import dev.kron.job.Placement;
import dev.kron.job.Ranking;
import dev.kron.json.JsonWriter;
import dev.kron.schedule.Decision;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The order in which the nodes of a fleet claim a period, told without asking any of them. */
final class Turns {
  private final Decision decision;
  private final List<String> ranked;

  /**
   * @param nodes that may run it, in any order; none: nothing is told
   */
  Turns(Decision decision, List<String> nodes) {
    this.decision = decision;
    this.ranked = Ranking.of(decision.identity(), decision.periodId(), nodes);
  }

  /** The nodes that an option names; none where it is not there. */
  static List<String> nodes(@Nullable String option, ExplainedSubject subject) {
    if (option == null) {
      return List.of();
    }
    List<String> nodes = List.of(option.split(",", -1));
    for (String node : nodes) {
      String problem = FleetNames.problem("a node of --nodes", node);
      if (problem != null) {
        throw new UsageException(problem);
      }
    }
    if (new HashSet<>(nodes).size() < nodes.size()) {
      throw new UsageException("--nodes names a node twice: " + option);
    }
    Placement on = subject.on();
    if (on == null) {
      throw new RefusedException(
          "this is no job of a fleet: this machine runs it whatever --nodes are");
    }
    if (on.all()) {
      throw new RefusedException(
          "every node runs it for itself (on="
              + on
              + "), at a second of its own: no node waits for another");
    }
    return nodes;
  }

  void tell(Output out) throws IOException {
    if (ranked.isEmpty()) {
      return;
    }
    out.line();
    HelpText.heading(
        out, "Turns: by SHA-256 over " + Ranking.VERSION + ", identity, periodId and node");
    int width = ranked.stream().mapToInt(String::length).max().orElse(0);
    for (int i = 0; i < ranked.size(); i++) {
      String node = ranked.get(i);
      long seconds = Ranking.turnMillis(i) / 1000;
      out.line(
          "  "
              + node
              + " ".repeat(width - node.length())
              + (seconds == 0 ? "  at once    " : "  " + seconds + " s later  ")
              + hash(node));
    }
  }

  /** Writes a member of the object that is open; none without nodes. */
  void write(JsonWriter json) throws IOException {
    if (ranked.isEmpty()) {
      return;
    }
    json.name("ranking").beginArray();
    for (int i = 0; i < ranked.size(); i++) {
      json.beginObject();
      json.member("node", ranked.get(i));
      json.member("turnMillis", Ranking.turnMillis(i));
      json.member("hash", hash(ranked.get(i)));
      json.endObject();
    }
    json.endArray();
  }

  private String hash(String node) {
    return Ranking.hash(decision.identity(), decision.periodId(), node);
  }
}
