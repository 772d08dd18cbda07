package dev.kron.daemon.api;

import dev.kron.cron.CronCalendar;
import dev.kron.daemon.api.Control.ServicesView;
import dev.kron.daemon.loop.ServiceRequest;
import dev.kron.daemon.loop.ServiceRequest.OneInstance.Act;
import dev.kron.daemon.runs.ExactCommand;
import dev.kron.daemon.runs.TimeMarks;
import dev.kron.process.LogReader;
import dev.kron.process.Signal;
import dev.kron.process.Usage;
import dev.kron.service.InstanceId;
import dev.kron.service.ServiceInstance;
import dev.kron.service.ServiceSpec;
import dev.kron.service.SupervisionState;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Operations on services, their dependencies and their logs. */
final class ServiceEndpoints {
  /** What stands before a name that a job and a service may have. */
  private static final String SERVICE = "service:";

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,4}");

  private static final long LOOK_AGAIN_MILLIS = 200;
  private static final int MOST_INSTANCES = 1_000;
  private static final int CHUNK = 32 * 1024;

  private final Supplier<Control> control;
  private final Semaphore places = new Semaphore(RunEndpoints.FOLLOWERS);

  ServiceEndpoints(Supplier<Control> control) {
    this.control = control;
  }

  /** The service that a name means, with or without {@code service:} before it. */
  static ServiceSpec spec(SupervisionState supervised, String word) {
    String name = word.startsWith(SERVICE) ? word.substring(SERVICE.length()) : word;
    ServiceSpec spec = supervised.graph().services().get(name);
    if (spec == null) {
      throw new ApiProblem(404, "there is no service " + name);
    }
    return spec;
  }

  /**
   * A service, or one instance of it, by a name such as {@code web} or {@code web@1}.
   *
   * @param instance its number; null: all of them, also if the only one is named
   */
  private record Named(ServiceSpec spec, @Nullable Integer instance) {}

  private static Named named(SupervisionState supervised, String word) {
    int at = word.lastIndexOf('@');
    String number = at < 0 ? "" : word.substring(at + 1);
    if (!NUMBER.matcher(number).matches()) {
      return new Named(spec(supervised, word), null);
    }
    ServiceSpec spec = spec(supervised, word.substring(0, at));
    int index = Integer.parseInt(number);
    int most = Math.max(supervised.size(spec.name()), supervised.instances(spec.name()).size());
    if (index >= most) {
      throw new ApiProblem(
          404,
          "there is no %s@%s: its instances are 0 to %s".formatted(spec.name(), index, most - 1));
    }
    return new Named(spec, most == 1 ? null : index);
  }

  void list(Exchange exchange) throws IOException {
    ServiceQuery query = ServiceQuery.of(exchange);
    Page page = Page.ofAll(exchange);
    Control present = control.get();
    // The id of the event comes first, so that the states after it are at least as new.
    Snapshot snapshot = Exchange.await(present.look());
    ServicesView view = present.services();
    List<ServiceSpec> matched = query.select(view, snapshot);
    List<ServiceSpec> shown = page.of(matched);
    Map<String, Usage> usage = exchange.flag("usage") ? usage(present, view, shown) : Map.of();
    try (var json = exchange.json()) {
      json.beginObject().name("services").beginArray();
      for (ServiceSpec spec : shown) {
        json.beginObject();
        ServiceShapes.members(json, view, spec, null, usage, false);
        json.endObject();
      }
      json.endArray();
      json.member("total", view.supervised().graph().services().size());
      json.member("matched", matched.size());
      json.member("asOf", snapshot.asOf());
      json.endObject();
    }
  }

  private static Map<String, Usage> usage(
      Control present, ServicesView view, List<ServiceSpec> specs) {
    List<String> runs =
        specs.stream()
            .flatMap(spec -> view.supervised().instances(spec.name()).stream())
            .filter(instance -> instance.state().pid() != null)
            .map(ServiceInstance::runId)
            .filter(Objects::nonNull)
            .toList();
    return present.usage(runs);
  }

  void show(Exchange exchange) throws IOException {
    Control present = control.get();
    ServicesView view = present.services();
    Named named = named(view.supervised(), exchange.part("service"));
    ServiceSpec spec = named.spec();
    int shown = named.instance() == null ? 0 : named.instance();
    ExactCommand execution =
        spec.isTarget() ? null : present.execution(spec, new InstanceId(spec.name(), shown));
    String bound = view.bindings().get(spec.name());
    try (var json = exchange.json()) {
      json.beginObject();
      ServiceShapes.members(
          json, view, spec, named.instance(), usage(present, view, List.of(spec)), true);
      json.name("entry");
      ServiceShapes.entry(json, spec);
      json.member("boundProfile", bound);
      json.name("execution");
      Shapes.execution(json, execution);
      json.endObject();
    }
  }

  void graph(Exchange exchange) throws IOException {
    SupervisionState supervised = control.get().services().supervised();
    try (var json = exchange.json()) {
      json.beginObject().name("services").beginArray();
      for (String name : supervised.graph().services().keySet()) {
        json.beginObject();
        json.member("name", name);
        json.member("state", supervised.state(name).name());
        json.member("wanted", supervised.isWanted(name) ? "up" : "down");
        json.member("requires", supervised.graph().requires(name));
        json.member("wants", supervised.graph().wants(name));
        json.member("after", supervised.graph().after(name));
        json.member("conflicts", supervised.graph().conflicts(name));
        json.endObject();
      }
      json.endArray();
      json.member("startOrder", supervised.graph().startOrder());
      json.endObject();
    }
  }

  void start(Exchange exchange) throws IOException {
    act(exchange, Act.START, names -> new ServiceRequest.Start(names));
  }

  void stop(Exchange exchange) throws IOException {
    act(exchange, Act.STOP, names -> new ServiceRequest.Stop(names));
  }

  void restart(Exchange exchange) throws IOException {
    act(exchange, Act.RESTART, names -> new ServiceRequest.Restart(names));
  }

  private void act(Exchange exchange, Act act, Function<List<String>, ServiceRequest> whole)
      throws IOException {
    act(
        exchange,
        act.name().toLowerCase(Locale.ROOT),
        named -> {
          String name = named.spec().name();
          return named.instance() == null
              ? whole.apply(List.of(name))
              : new ServiceRequest.OneInstance(name, named.instance(), act);
        });
  }

  void signal(Exchange exchange) throws IOException {
    Signal signal = JobEndpoints.signal(exchange);
    if (signal == null) {
      throw new ApiProblem(400, "signal is one such as HUP or TERM");
    }
    act(
        exchange,
        "signal " + signal,
        named -> new ServiceRequest.SendSignal(named.spec().name(), named.instance(), signal));
  }

  void reload(Exchange exchange) throws IOException {
    act(
        exchange,
        "reload",
        named -> new ServiceRequest.Reload(named.spec().name(), named.instance()));
  }

  void scale(Exchange exchange) throws IOException {
    int instances = (int) exchange.number("instances", 0, 0, MOST_INSTANCES);
    if (instances == 0) {
      throw new ApiProblem(
          400, "instances is a number from 1 to " + MOST_INSTANCES + "; kron stop brings it down");
    }
    boolean dryRun = exchange.flag("dry-run");
    act(
        exchange,
        dryRun ? "look at scaling" : "scale to " + instances,
        named -> new ServiceRequest.Scale(whole(named, "scaled"), instances, dryRun));
  }

  /** The name of a service; refuses a single instance. */
  private static String whole(Named named, String what) {
    if (named.instance() != null) {
      throw new ApiProblem(
          400, "a service is " + what + ", not an instance: say " + named.spec().name());
    }
    return named.spec().name();
  }

  void bind(Exchange exchange) throws IOException {
    String profile = exchange.parameter("profile", "");
    if (!profile.matches("[a-z0-9-]+")) {
      throw new ApiProblem(400, "profile is a name of a-z, 0-9 and -, not \"" + profile + "\"");
    }
    Control present = control.get();
    Named named = named(present.services().supervised(), exchange.part("service"));
    whole(named, "bound to credentials");
    ServiceSpec spec = named.spec();
    String problem = present.credentialsProblem(spec, profile);
    if (problem != null) {
      throw new ApiProblem(
          409, spec.name() + " cannot have credentials " + profile + ": " + problem);
    }
    act(
        exchange,
        "bind credentials " + profile,
        one -> new ServiceRequest.BindCredentials(one.spec().name(), profile));
  }

  void unbind(Exchange exchange) throws IOException {
    act(
        exchange,
        "unbind credentials",
        named -> new ServiceRequest.UnbindCredentials(whole(named, "bound to credentials")));
  }

  private void act(Exchange exchange, String what, Function<Named, ServiceRequest> request)
      throws IOException {
    Control present = control.get();
    Named named = named(present.services().supervised(), exchange.part("service"));
    String name = named.spec().name();
    ServiceRequest asked = request.apply(named);
    present.asked(
        exchange.who(), what, named.instance() == null ? name : name + "@" + named.instance());
    DaemonEndpoints.answer(exchange, Exchange.await(present.ask(asked)), 409);
  }

  /** Answers with the log of an instance, across rotations; offsets stay valid. */
  void logs(Exchange exchange) throws IOException {
    Control present = control.get();
    Named named = named(present.services().supervised(), exchange.part("service"));
    ServiceSpec spec = named.spec();
    int first = named.instance() == null ? 0 : named.instance();
    int most = Math.max(1, present.services().supervised().instances(spec.name()).size());
    int index = (int) exchange.number("instance", first, 0, most - 1L);
    long offset = exchange.number("offset", 0, 0, Long.MAX_VALUE);
    long tail = exchange.number("tail", -1, 0, Long.MAX_VALUE);
    boolean follow = exchange.flag("follow");
    var instance = new InstanceId(spec.name(), index);
    if (!places.tryAcquire()) {
      throw new ApiProblem(503, RunEndpoints.FOLLOWERS + " readers read output already");
    }
    try {
      Path file = present.log(instance);
      long since = since(file, exchange.time("since"));
      send(exchange, file, instance, Math.max(since, offset), tail, follow);
    } finally {
      places.release();
    }
  }

  /** Where what was written since then begins, as exactly as that is known. */
  private static long since(Path log, long second) {
    if (second == CronCalendar.NONE) {
      return 0;
    }
    long offset = 0;
    for (TimeMarks.Mark mark : TimeMarks.read(log)) {
      if (mark.byMillis() >= second * 1000) {
        break;
      }
      offset = mark.offset();
    }
    return offset;
  }

  private void send(
      Exchange exchange, Path file, InstanceId instance, long offset, long tail, boolean follow)
      throws IOException {
    LogReader log = new LogReader(file);
    long from = tail < 0 ? offset : Math.max(offset, log.end() - tail);
    // A given offset is where a reader continues; without one, the answer begins with a whole line.
    boolean told = tail < 0 && exchange.parameter("offset") != null && from >= log.begin();
    long position = told ? from : log.lineFrom(from);
    exchange.header("X-Offset", Long.toString(position));
    byte[] chunk = new byte[CHUNK];
    String type = "application/octet-stream";
    try (OutputStream out = follow ? exchange.following(type) : exchange.body(200, type)) {
      LogSink sink = exchange.flag("times") ? new TimedLines(out, file, 0, 0) : LogSink.plain(out);
      while (true) {
        long now = System.currentTimeMillis();
        int count = log.read(position, chunk);
        if (count > 0 && chunk[0] == 0 && log.skipHole(position) > position) {
          position = log.skipHole(position);
        } else if (count > 0) {
          sink.write(chunk, count, position);
          position += count;
        } else if (count < 0) {
          position = log.lineFrom(0); // so much was written meanwhile that a part is gone
        } else if (follow && isThere(instance) && !exchange.isAbandoned()) {
          sink.caughtUp(now);
          lookAgain();
        } else {
          sink.end();
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The more there are who follow, the longer each waits: they take time from what they follow. */
  private void lookAgain() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(
        LOOK_AGAIN_MILLIS + RunEndpoints.FOLLOWERS - places.availablePermits());
  }

  /** Whether more output may come: the service is wanted up, or has a process. */
  private boolean isThere(InstanceId id) {
    Control present = control.get();
    if (present.isStopped()) {
      return false;
    }
    SupervisionState supervised = present.services().supervised();
    ServiceInstance instance = supervised.instance(id);
    return supervised.isWanted(id.service()) || (instance != null && instance.isThere());
  }
}
