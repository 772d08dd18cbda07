package dev.kron.daemon.services;

import dev.kron.daemon.runs.ExactCommand;
import dev.kron.daemon.runs.Executions;
import dev.kron.daemon.runs.Launches;
import dev.kron.process.Credentials;
import dev.kron.process.InputSource;
import dev.kron.process.Launch;
import dev.kron.process.OutputTarget;
import dev.kron.process.Readiness;
import dev.kron.process.Run;
import dev.kron.process.Stage;
import dev.kron.process.Users;
import dev.kron.service.Hook;
import dev.kron.service.Hooks;
import dev.kron.service.InstanceId;
import dev.kron.service.ReadySignal;
import dev.kron.service.ServiceSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The exact commands of services: words, user, directory, environment and output. */
final class ServiceLaunches {
  private static final String SOCKET = "NOTIFY_SOCKET=";

  static final String INSTANCE = "KRON_INSTANCE";
  static final String HOOK = "KRON_HOOK";

  /** The word for a check, which stands in the place of a hook's name. */
  static final String CHECK = "check";

  private static final Pattern NUMBER = Pattern.compile("%?%i");

  private final Launches launches;
  private final Executions executions;
  private final Path logs;
  private final UnaryOperator<String> sockets;

  /**
   * @param logs where output goes
   * @param sockets gives the name of the socket at which a run is heard
   */
  ServiceLaunches(
      Launches launches, Executions executions, Path logs, UnaryOperator<String> sockets) {
    this.launches = launches;
    this.executions = executions;
    this.logs = logs;
    this.sockets = sockets;
  }

  /** The log file of an instance; both streams go there, in the order in which they are written. */
  Path log(InstanceId instance) {
    return logs.resolve(instance + ".log");
  }

  /** The user that a service runs as; null: the daemon's own. */
  @Nullable Credentials credentials(ServiceSpec spec) throws Launches.Refused {
    return launches.credentials(spec.group(), launches.account(spec.user()));
  }

  Launch of(ServiceSpec spec, InstanceId instance, Run run, List<String> secrets)
      throws Launches.Refused {
    OutputTarget output = new OutputTarget.Log(log(instance));
    Launch launch = launch(spec, instance, run, secrets, words(spec, instance), output);
    return switch (readiness(spec, run.id())) {
      case null -> launch;
      case Readiness.Descriptor(int number) -> launch.toBuilder().readyDescriptor(number).build();
      case Readiness.Socket(String name) ->
          launch.toBuilder().environment(with(launch.environment(), SOCKET + name)).build();
    };
  }

  /**
   * The command of a hook. It runs as the service does.
   *
   * @param told {@code KEY=value} beside the service's own variables
   */
  Launch hook(
      Hook hook,
      ServiceSpec spec,
      InstanceId instance,
      Run run,
      List<String> secrets,
      List<String> told)
      throws Launches.Refused {
    List<String> words = of(instance, spec.hooks().words(hook));
    if (words.isEmpty()) {
      throw new Launches.Refused(Stage.EXEC, "there is no " + hook.text() + " any more");
    }
    Path output = hook == Hook.RELOAD ? HookOutput.capture(run) : log(instance);
    Launch launch = launch(spec, instance, run, secrets, words, new OutputTarget.Log(output));
    List<String> environment = new ArrayList<>(launch.environment());
    environment.addAll(told);
    environment.add(HOOK + "=" + hook.text());
    return launch.toBuilder().environment(environment).build();
  }

  /**
   * The command that is told of a failure. The service's own runs as its user, but neither in its
   * directory nor with its credentials, which may be why it failed; the daemon's runs as that.
   *
   * @param told variables beside those that name the instance
   */
  Launch alert(
      ServiceSpec spec,
      InstanceId instance,
      Run run,
      List<String> command,
      InputSource stdin,
      Map<String, String> told)
      throws Launches.Refused {
    boolean own = !spec.hooks().onFailure().isEmpty();
    Users.Account account = own ? launches.account(spec.user()) : null;
    Map<String, String> environment =
        own ? launches.environment(spec.environment(), account) : launches.daemonEnvironment();
    environment.putAll(told);
    environment.put(Run.SERVICE_VARIABLE, instance.service());
    environment.put(INSTANCE, Integer.toString(instance.index()));
    environment.put(HOOK, Hooks.ON_FAILURE);
    environment.put(Run.ID_VARIABLE, run.id());
    OutputTarget output = new OutputTarget.Log(log(instance));
    List<String> words = own ? of(instance, command) : command;
    return Launch.builder(run, words, Launches.words(environment))
        .credentials(own ? launches.credentials(spec.group(), account) : null)
        .stdin(stdin)
        .stdout(output)
        .stderr(output)
        .build();
  }

  private static List<String> with(List<String> environment, String variable) {
    List<String> all = new ArrayList<>(environment);
    all.removeIf(each -> each.startsWith(SOCKET)); // of its file
    all.add(variable);
    return all;
  }

  /** How a run of a service reports that it is ready; null: not at all. */
  @Nullable Readiness readiness(ServiceSpec spec, String runId) {
    return switch (spec.readySignal()) {
      case null -> null;
      case ReadySignal.Notify() ->
          new Readiness.Socket(
              runId.equals(Executions.SOME_RUN) ? "@kron/<socket>" : sockets.apply(runId));
      case ReadySignal.Descriptor(int number) -> new Readiness.Descriptor(number);
    };
  }

  /**
   * The command that an instance would execute, without its credentials.
   *
   * @param problem why it could not be started; null if it could
   */
  ExactCommand execution(ServiceSpec spec, InstanceId instance, @Nullable String problem) {
    String output = "file:" + log(instance);
    var streams = new ExactCommand.Streams(ExactCommand.Streams.NOTHING, output, output);
    try {
      Run run = new Run(Executions.SOME_RUN, Path.of("/"));
      return executions.of(problem, of(spec, instance, run, List.of()), Set.of(), streams);
    } catch (Launches.Refused refused) {
      return executions.refused(
          String.valueOf(refused.getMessage()),
          spec.exec(),
          spec.user(),
          spec.cwd(),
          spec.umask(),
          spec.environment(),
          streams);
    }
  }

  /** The command of a health check. It runs as the service does, and its output is dropped. */
  Launch probe(
      ServiceSpec spec, InstanceId instance, Run run, List<String> secrets, List<String> command)
      throws Launches.Refused {
    List<String> words = of(instance, command);
    Launch launch = launch(spec, instance, run, secrets, words, new OutputTarget.Discard());
    List<String> environment = new ArrayList<>(launch.environment());
    environment.add(HOOK + "=" + CHECK);
    return launch.toBuilder().environment(environment).build();
  }

  private Launch launch(
      ServiceSpec spec,
      InstanceId instance,
      Run run,
      List<String> secrets,
      List<String> command,
      OutputTarget output)
      throws Launches.Refused {
    Users.Account account = launches.account(spec.user());
    Map<String, String> environment = launches.environment(spec.environment(), account);
    Launches.putAll(environment, secrets);
    environment.put(Run.SERVICE_VARIABLE, instance.service());
    environment.put(INSTANCE, Integer.toString(instance.index()));
    environment.put(Run.ID_VARIABLE, run.id());
    return Launch.builder(run, command, Launches.words(environment))
        .cwd(spec.cwd() == null ? null : Path.of(spec.cwd()))
        .umask(spec.umask())
        .credentials(launches.credentials(spec.group(), account))
        .stdout(output)
        .stderr(output)
        .build();
  }

  private static List<String> words(ServiceSpec spec, InstanceId instance) {
    List<String> words = of(instance, spec.exec());
    return spec.shell() ? List.of("/bin/sh", "-c", words.getFirst()) : words;
  }

  /** The words with {@code %i} replaced by the instance's number, and {@code %%i} by {@code %i}. */
  private static List<String> of(InstanceId instance, List<String> words) {
    return words.stream()
        .map(word -> NUMBER.matcher(word).replaceAll(found -> number(instance, found.group())))
        .toList();
  }

  private static String number(InstanceId instance, String sign) {
    return sign.equals("%i") ? Integer.toString(instance.index()) : "%i";
  }
}
