package dev.kron.cli.lint;

import dev.kron.config.ConfigFiles;
import dev.kron.config.CredentialProfile;
import dev.kron.config.Diagnostic;
import dev.kron.config.Diagnostic.Severity;
import dev.kron.config.ServiceFile;
import dev.kron.config.VariableFile;
import dev.kron.service.HealthCheck;
import dev.kron.service.HealthCheck.Probe;
import dev.kron.service.Hook;
import dev.kron.service.Hooks;
import dev.kron.service.Lifecycle;
import dev.kron.service.ServiceSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The findings about services: what is legal and will still surprise. */
public final class ServiceSurprises {
  private final Paths paths;
  private final ConfigFiles.Settings files;
  private final Accounts accounts;

  /**
   * @param searchPath the variable PATH, null where it is not set
   * @param accounts of this machine
   */
  public ServiceSurprises(
      @Nullable String searchPath, ConfigFiles.Settings files, Accounts accounts) {
    this.accounts = accounts;
    this.paths = new Paths(searchPath, new HashMap<>());
    this.files = files;
  }

  /** Of a file that is valid; nearly always nothing. */
  public List<Diagnostic> of(ServiceFile file) {
    List<Diagnostic> found = new ArrayList<>();
    ServiceSpec service = file.service();
    if (service != null) {
      commands(file, service, found);
      accounts(file, service, found);
      life(file, service, found);
      health(file, service, found);
      credentials(file, service, found);
    }
    return found;
  }

  private void commands(ServiceFile file, ServiceSpec service, List<Diagnostic> found) {
    String cwd = service.cwd();
    if (!service.exec().isEmpty() && !service.shell()) {
      warn(file, "service.exec", paths.commandProblem(service.exec(), cwd), found);
    }
    if (cwd != null) {
      warn(file, "service.cwd", paths.directory(cwd), found);
    }
    HealthCheck health = service.health();
    if (health != null && health.probe() instanceof Probe.Exec(List<String> words)) {
      warn(file, "health.exec", paths.commandProblem(words, cwd), found);
    }
    for (Hook hook : Hook.values()) {
      hook(file, hook.text(), service.hooks().words(hook), cwd, found);
    }
    hook(file, Hooks.ON_FAILURE, service.hooks().onFailure(), null, found);
  }

  private void hook(
      ServiceFile file,
      String key,
      List<String> words,
      @Nullable String cwd,
      List<Diagnostic> found) {
    if (!words.isEmpty()) {
      warn(file, "hooks." + key, paths.commandProblem(words, cwd), found);
    }
  }

  private void accounts(ServiceFile file, ServiceSpec service, List<Diagnostic> found) {
    String user = service.user();
    if (user != null) {
      warn(file, "service.user", accounts.userProblem(user), found);
    }
    String group = service.group();
    if (group != null) {
      warn(file, "service.group", accounts.groupProblem(group), found);
    }
  }

  private static void life(ServiceFile file, ServiceSpec service, List<Diagnostic> found) {
    if (service.type() == ServiceSpec.Type.ONESHOT
        && service.lifecycle().restart() == Lifecycle.Restart.ALWAYS) {
      warn(
          file,
          "lifecycle.restart",
          "a oneshot that is always restarted runs again and again, and what requires it is never"
              + " satisfied for long; a job in a krontab may be meant",
          found);
    }
  }

  private static void health(ServiceFile file, ServiceSpec service, List<Diagnostic> found) {
    HealthCheck health = service.health();
    if (health == null) {
      return;
    }
    if (service.type() == ServiceSpec.Type.ONESHOT) {
      warn(
          file,
          "health",
          "a oneshot is ready when it has exited with 0; its health check is never asked",
          found);
    }
    if (health.timeoutMillis() > health.intervalMillis()) {
      warn(
          file,
          "health.timeout_ms",
          "a check may take %s ms, longer than the %s ms between two of them"
              .formatted(health.timeoutMillis(), health.intervalMillis()),
          found);
    }
    if (service.readySignal() == null
        && health.intervalMillis() > service.lifecycle().startTimeoutMillis()) {
      warn(
          file,
          "health.interval_ms",
          "a second check comes after %s ms, when the service has failed already for not being ready within start_timeout_ms, %s"
              .formatted(health.intervalMillis(), service.lifecycle().startTimeoutMillis()),
          found);
    }
  }

  private void credentials(ServiceFile file, ServiceSpec service, List<Diagnostic> found) {
    String profile = service.credentialProfile();
    if (profile == null) {
      return;
    }
    Path path = CredentialProfile.path(Path.of(file.file()), profile);
    VariableFile read = CredentialProfile.read(path, files);
    for (Diagnostic problem : read.diagnostics()) {
      warn(
          file,
          "credentials.profile",
          "the service cannot start with profile %s: %s".formatted(profile, problem),
          found);
    }
  }

  private static void warn(ServiceFile file, String key, String message, List<Diagnostic> found) {
    if (!message.isEmpty()) {
      found.add(file.at(key, Severity.WARNING, message));
    }
  }
}
