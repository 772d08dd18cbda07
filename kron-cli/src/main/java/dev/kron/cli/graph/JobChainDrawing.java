package dev.kron.cli.graph;

import dev.kron.cli.output.Output;
import dev.kron.json.JsonWriter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * Which jobs follow which.
 *
 * @param follows for each job that others follow, or that follows one, those that follow it
 */
public record JobChainDrawing(SequencedMap<String, List<String>> follows) {

  /** Trees: what follows a job stands below it. A job that follows several stands below each. */
  public void text(Output out) throws IOException {
    for (String job : follows.keySet()) {
      if (follows.values().stream().noneMatch(list -> list.contains(job))) {
        out.line(job);
        below(job, "  ", out);
      }
    }
    if (follows.isEmpty()) {
      out.line("no job follows another: then=\"…\" in an entry says which do");
    }
  }

  private void below(String job, String indent, Output out) throws IOException {
    for (String next : follows.getOrDefault(job, List.of())) {
      out.line(indent + "then " + next);
      below(next, indent + "  ", out);
    }
  }

  /** For Graphviz. */
  public void dot(Output out) throws IOException {
    out.line("digraph jobs {");
    out.line("  rankdir=LR;");
    for (String job : follows.keySet()) {
      out.line("  \"" + job + "\";");
    }
    for (Map.Entry<String, List<String>> each : follows.entrySet()) {
      for (String next : each.getValue()) {
        out.line("  \"" + each.getKey() + "\" -> \"" + next + "\";");
      }
    }
    out.line("}");
  }

  /** For programs. */
  public void json(Output out) throws IOException {
    JsonWriter json = out.json();
    json.beginObject().name("jobs").beginArray();
    for (Map.Entry<String, List<String>> each : follows.entrySet()) {
      json.beginObject();
      json.member("job", each.getKey());
      json.member("then", each.getValue());
      json.endObject();
    }
    json.endArray().endObject().end();
  }
}
