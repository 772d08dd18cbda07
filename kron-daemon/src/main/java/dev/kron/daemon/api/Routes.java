package dev.kron.daemon.api;

import dev.kron.daemon.log.EventRing;
import dev.kron.daemon.log.Meters;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Every operation of the API. docs/openapi.json has the same list; a test holds them together. */
final class Routes {
  private Routes() {}

  /**
   * @param control the daemon, once it is ready; throws a {@link ApiProblem} before
   * @param dashboard likewise
   */
  static List<Route> all(
      Supplier<Control> control,
      Supplier<Dashboard> dashboard,
      EventRing events,
      Meters meters,
      ControlServer.DaemonInfo daemon) {
    var about = new DaemonEndpoints(control, daemon, meters.faults);
    var jobs = new JobEndpoints(control);
    var runs = new RunEndpoints(control);
    var following = new EventEndpoint(control, events);
    var routes = new ArrayList<Route>();
    routes.add(Route.get("/v1/version", about::version));
    routes.add(Route.get("/v1/status", about::status, "limit"));
    routes.add(Route.post("/v1/reload", about::reload, "dry-run"));
    routes.add(Route.post("/v1/shutdown", about::shutdown, "jobs").needing(Authority.ALL));
    routes.add(Route.get("/v1/jobs", jobs::list, JobQuery.PARAMETERS));
    routes.add(Route.get("/v1/jobs/{job}", jobs::show));
    routes.add(Route.get("/v1/jobs/{job}/runs", jobs::runs, RunFilter.PARAMETERS));
    routes.add(Route.get("/v1/jobs/{job}/decisions", jobs::decisions, "from", "count"));
    routes.add(Route.get("/v1/jobs/{job}/why", jobs::why, "from", "to"));
    routes.add(Route.post("/v1/jobs/{job}/suspend", jobs::suspend));
    routes.add(Route.post("/v1/jobs/{job}/resume", jobs::resume));
    routes.add(Route.post("/v1/jobs/{job}/mute", jobs::mute, "for"));
    routes.add(Route.post("/v1/jobs/{job}/unmute", jobs::unmute));
    routes.add(Route.post("/v1/jobs/{job}/trigger", jobs::trigger));
    routes.add(Route.post("/v1/jobs/{job}/stop", jobs::stop, "signal"));
    routes.add(Route.post("/v1/jobs/{job}/forget", jobs::forget));
    routes.add(Route.get("/v1/runs", runs::list, RunFilter.PARAMETERS));
    routes.add(Route.get("/v1/runs/{run}", runs::show));
    routes.add(Route.post("/v1/runs/{run}/stop", runs::stop, "signal"));
    routes.add(
        Route.get("/v1/runs/{run}/logs/{stream}", runs::logs, "offset", "tail", "follow", "times"));
    routes.add(Route.get("/v1/events", following::follow, "after", "job", "follow"));
    var overview = new OverviewEndpoint(control, daemon, meters.faults);
    routes.add(Route.get("/v1/overview", overview::overview, "limit"));
    routes.add(Route.get("/v1/load", overview::load));
    var timeline = new TimelineEndpoint(control);
    routes.add(Route.get("/v1/timeline", timeline::timeline, TimelineEndpoint.PARAMETERS));
    var history = new HistoryEndpoints(control);
    routes.add(Route.get("/v1/jobs/{job}/history", history::job, "runs"));
    routes.add(Route.get("/v1/services/{service}/history", history::service, "events"));
    routes.add(Route.get("/v1/search", new SearchEndpoint(control)::search, "q", "limit"));
    var services = new ServiceEndpoints(control);
    String service = "/v1/services/{service}";
    routes.add(Route.get("/v1/services", services::list, ServiceQuery.PARAMETERS));
    routes.add(Route.get(service, services::show));
    routes.add(
        Route.get(
            service + "/logs",
            services::logs,
            "instance",
            "offset",
            "tail",
            "since",
            "follow",
            "times"));
    routes.add(Route.post(service + "/start", services::start));
    routes.add(Route.post(service + "/stop", services::stop));
    routes.add(Route.post(service + "/restart", services::restart));
    routes.add(Route.post(service + "/reload", services::reload));
    routes.add(Route.post(service + "/scale", services::scale, "instances", "dry-run"));
    routes.add(Route.post(service + "/signal", services::signal, "signal"));
    routes.add(
        Route.post(service + "/credentials/bind", services::bind, "profile")
            .needing(Authority.ALL));
    routes.add(
        Route.post(service + "/credentials/unbind", services::unbind).needing(Authority.ALL));
    routes.add(Route.get("/v1/graph", services::graph));
    var notices = new NoticeEndpoints(control);
    routes.add(Route.get("/v1/notify/log", notices::log, "limit"));
    routes.add(Route.post("/v1/notify/channels/{channel}/test", notices::test));
    routes.addAll(FleetEndpoints.routes(control));
    var page = new DashboardEndpoints(dashboard, daemon);
    routes.add(Route.get("/v1/whoami", page::whoami));
    routes.add(Route.post("/v1/dashboard/links", page::link).needing(Authority.READ));
    routes.add(Route.get("/v1/dashboard/sessions", page::sessions).needing(Authority.READ));
    routes.add(Route.post("/v1/dashboard/end", page::end, "session").needing(Authority.READ));
    routes.add(Route.get("/metrics", new MetricsEndpoint(control, meters, daemon)::scrape));
    return List.copyOf(routes);
  }
}
