package dev.kron.daemon.api;

import dev.kron.daemon.api.ControlServer.DaemonInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.Locale;
import java.util.function.Supplier;

/** The way to the dashboard, and what it asks of whoever came. */
final class DashboardEndpoints {
  private static final Path HOST = Path.of("/proc/sys/kernel/hostname");

  private final Supplier<Dashboard> dashboard;
  private final DaemonInfo daemon;

  DashboardEndpoints(Supplier<Dashboard> dashboard, DaemonInfo daemon) {
    this.dashboard = dashboard;
    this.daemon = daemon;
  }

  /** A link is for the user whom the kernel names, and for nobody who only brings a word. */
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

  /** Signs a user out of every browser. */
  void end(Exchange exchange) throws IOException {
    int ended = dashboard.get().end(known(exchange));
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
