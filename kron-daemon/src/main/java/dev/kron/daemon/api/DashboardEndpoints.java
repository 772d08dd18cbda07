package dev.kron.daemon.api;

import dev.kron.daemon.api.ControlServer.DaemonInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/** Operations on links to the dashboard and on its sessions. */
final class DashboardEndpoints {
  private static final Path HOST = Path.of("/proc/sys/kernel/hostname");

  private final Supplier<Dashboard> dashboard;
  private final DaemonInfo daemon;

  DashboardEndpoints(Supplier<Dashboard> dashboard, DaemonInfo daemon) {
    this.dashboard = dashboard;
    this.daemon = daemon;
  }

  /** Makes a link for the user whom the kernel names; a token is not enough. */
  void link(Exchange exchange) throws IOException {
    Visitor visitor = known(exchange);
    Dashboard.Link link;
    try {
      link = dashboard.get().link(visitor);
    } catch (IOException e) {
      throw new ApiProblem(503, "the dashboard cannot be served: " + e.getMessage());
    }
    try (var json = exchange.json()) {
      json.beginObject();
      json.member("links", link.addresses());
      json.member("seconds", link.seconds());
      json.endObject();
    }
  }

  private static Visitor known(Exchange exchange) {
    Visitor visitor = exchange.visitor();
    if (!exchange.isFromSocket() || visitor.uid() == Visitor.NOBODY) {
      throw new ApiProblem(
          403,
          "the way to the dashboard is the unix socket only: run kron dashboard on this machine");
    }
    return visitor;
  }

  /** The browsers that a user is signed in with. */
  void sessions(Exchange exchange) throws IOException {
    List<Dashboard.SessionView> sessions = dashboard.get().sessions(known(exchange));
    try (var json = exchange.json()) {
      json.beginObject();
      json.name("sessions").beginArray();
      for (Dashboard.SessionView session : sessions) {
        json.beginObject();
        json.member("id", session.id());
        json.member("address", session.address());
        json.millis("since", session.beganMillis());
        json.millis("used", session.usedMillis());
        json.member("open", session.open());
        json.endObject();
      }
      json.endArray().endObject();
    }
  }

  /** Signs a user out of every browser, or of one. */
  void end(Exchange exchange) throws IOException {
    Visitor visitor = known(exchange);
    String session = exchange.parameter("session");
    if (session != null && !dashboard.get().end(visitor, session)) {
      throw new ApiProblem(
          404, "you have no such session of the dashboard: kron dashboard --sessions lists yours");
    }
    int ended = session == null ? dashboard.get().end(visitor) : 1;
    try (var json = exchange.json()) {
      json.beginObject();
      json.member(
          "message",
          ended == 0
              ? "you have no session of the dashboard"
              : ended == 1 ? "1 session ended" : ended + " sessions ended");
      json.endObject();
    }
  }

  void whoami(Exchange exchange) throws IOException {
    Visitor visitor = exchange.visitor();
    try (var json = exchange.json()) {
      json.beginObject();
      json.member("user", visitor.name());
      if (visitor.uid() != Visitor.NOBODY) {
        json.member("uid", visitor.uid());
      }
      json.member(
          "authority",
          switch (visitor.authority()) {
            case READ -> "reader";
            case OPERATE -> "operator";
            case NOTHING, ALL -> visitor.authority().name().toLowerCase(Locale.ROOT);
          });
      json.member("host", host());
      json.member("version", daemon.version());
      json.member("zone", ZoneId.systemDefault().getId());
      json.endObject();
    }
  }

  private static String host() {
    try {
      return Files.readString(HOST).strip();
    } catch (IOException e) {
      return "localhost";
    }
  }
}
