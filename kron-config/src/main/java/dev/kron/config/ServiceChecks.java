package dev.kron.config;

import dev.kron.service.GraphProblem;
import dev.kron.service.ServiceGraph;
import dev.kron.service.ServiceSpec;
import dev.kron.text.Suggestion;
import dev.kron.text.VisibleText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The checks across service files: duplicate names, and the graph. */
final class ServiceChecks {
  private final List<ServiceFile> files;
  private final Map<String, ServiceFile> byName = new HashMap<>();
  private final Map<String, List<Diagnostic>> found = new LinkedHashMap<>();

  private ServiceChecks(List<ServiceFile> files) {
    this.files = files;
  }

  /** The same files in the same order, with the problems between them added. */
  static List<ServiceFile> check(List<ServiceFile> files) {
    return files.isEmpty() ? files : new ServiceChecks(files).check();
  }

  private List<ServiceFile> check() {
    List<ServiceSpec> specs = new ArrayList<>();
    for (ServiceFile file : files) {
      @Nullable ServiceFile first = byName.putIfAbsent(file.name(), file);
      if (first == null) {
        specs.add(inGraph(file));
      } else {
        add(
            file,
            "service.name",
            "the name "
                + VisibleText.quote(file.name())
                + " belongs to the service in "
                + VisibleText.of(first.file())
                + " already; names are unique across files");
      }
    }
    for (GraphProblem problem : ServiceGraph.of(specs).problems()) {
      report(problem);
    }
    List<ServiceFile> checked = new ArrayList<>();
    for (ServiceFile file : files) {
      checked.add(file.with(found.getOrDefault(file.file(), List.of())));
    }
    return checked;
  }

  /**
   * The service for the graph; a file with other errors takes part, so that everything is reported
   * at once.
   */
  private static ServiceSpec inGraph(ServiceFile file) {
    @Nullable ServiceSpec service = file.service();
    return service != null
        ? service
        : ServiceSpec.builder(file.name(), ServiceSpec.Type.TARGET, List.of())
            .file(file.file())
            .autostart(false)
            .dependencies(file.dependencies())
            .build();
  }

  private void report(GraphProblem problem) {
    @Nullable ServiceFile file = byName.get(problem.service());
    if (file == null) {
      return;
    }
    String message = problem.message();
    if (problem instanceof GraphProblem.Missing missing) {
      @Nullable String meant = Suggestion.nearest(byName.keySet(), missing.name());
      message += meant == null ? "" : "; did you mean \"" + meant + "\"?";
    }
    add(
        file,
        "dependencies." + problem.relation().key() + "." + problem.name(),
        VisibleText.of(message));
  }

  private void add(ServiceFile file, String key, String message) {
    found
        .computeIfAbsent(file.file(), any -> new ArrayList<>())
        .add(file.at(key, Diagnostic.Severity.ERROR, message));
  }
}
