package dev.kron.daemon.api;

import dev.kron.daemon.api.Control.ServicesView;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.ServiceState;
import dev.kron.service.SupervisionState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A query for services: which ones, and in which order.
 *
 * @param filter a text in the name or the description, in lower case
 * @param state that they are in, or {@code wanted}, {@code troubled}; null: any
 * @param sort null: as the daemon has them
 */
record ServiceQuery(
    String filter, @Nullable String state, @Nullable String sort, boolean descending) {
  static final String[] PARAMETERS = {
    "filter", "state", "sort", "order", "offset", "limit", "usage"
  };

  private static final String WANTED = "wanted";
  private static final String TROUBLED = "troubled";
  private static final Set<String> SORTS = Set.of("name", "state", "restarts");
  private static final Set<String> STATES = states();

  private static Set<String> states() {
    Set<String> states = new HashSet<>(Set.of(WANTED, TROUBLED));
    for (ServiceState.Kind kind : ServiceState.Kind.values()) {
      states.add(kind.text());
    }
    return states;
  }

  static ServiceQuery of(Exchange exchange) {
    String state = exchange.parameter("state");
    String sort = exchange.parameter("sort");
    return new ServiceQuery(
        exchange.parameter("filter", "").toLowerCase(Locale.ROOT),
        state == null ? null : Page.oneOf(exchange, "state", state, STATES),
        sort == null ? null : Page.oneOf(exchange, "sort", sort, SORTS),
        Page.isDescending(exchange));
  }

  /** The matching services, in order. */
  List<ServiceSpec> select(ServicesView view, Snapshot snapshot) {
    SupervisionState supervised = view.supervised();
    var found = new ArrayList<ServiceSpec>();
    for (ServiceSpec spec : supervised.graph().services().values()) {
      if (admits(supervised, spec, snapshot)) {
        found.add(spec);
      }
    }
    Comparator<ServiceSpec> order = order(view);
    if (order != null) {
      found.sort((descending ? order.reversed() : order).thenComparing(ServiceSpec::name));
    }
    return found;
  }

  private boolean admits(SupervisionState supervised, ServiceSpec spec, Snapshot snapshot) {
    String description = spec.description() == null ? "" : spec.description();
    if (!filter.isEmpty() && !Page.isIn(filter, List.of(spec.name(), description))) {
      return false;
    }
    return switch (state) {
      case null -> true;
      case WANTED -> supervised.isWanted(spec.name());
      case TROUBLED ->
          Health.problem(supervised, spec, snapshot.downMillis().getOrDefault(spec.name(), 0L))
              != null;
      default -> supervised.state(spec.name()).kind().text().equals(state);
    };
  }

  private @Nullable Comparator<ServiceSpec> order(ServicesView view) {
    return switch (sort) {
      case null -> descending ? Comparator.comparing(ServiceSpec::name) : null;
      case "state" -> Comparator.comparing(spec -> view.supervised().state(spec.name()).name());
      case "restarts" -> Comparator.comparingInt(spec -> restarts(view, spec));
      default -> Comparator.comparing(ServiceSpec::name);
    };
  }

  /** How often the instances of a service were started again, ever. */
  static int restarts(ServicesView view, ServiceSpec spec) {
    int restarts = 0;
    for (ServiceInstance instance : view.supervised().instances(spec.name())) {
      restarts += view.facts().getOrDefault(instance.id(), Control.InstanceFacts.NONE).restarts();
    }
    return restarts;
  }
}
