package dev.kron.config;

import dev.kron.config.ServicePlaces.Place;
import dev.kron.service.Dependencies;
import dev.kron.service.HealthCheck;
import dev.kron.service.Hooks;
import dev.kron.service.Lifecycle;
import dev.kron.service.LogLimits;
import dev.kron.service.ReadySignal;
import dev.kron.service.ServiceSpec;
import dev.kron.text.VisibleText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlTable;

/** The builder of a service from the tables of its file; it reports all problems. */
final class ServiceBuilder {
  private final String file;
  private final String defaultName;
  private final ServiceNotes notes;
  private final ServiceCommand command;
  private final LifecycleReader rules;
  private final TomlSection service;
  private final TomlSection environment;
  private final TomlSection relations;
  private final TomlSection lifecycle;
  private final TomlSection health;
  private final TomlSection hooks;
  private final TomlSection credentials;
  private final TomlSection log;
  private @Nullable String name;
  private Dependencies dependencies = Dependencies.NONE;
  private @Nullable ServiceSpec built;

  ServiceBuilder(
      String file, String defaultName, TomlTable toml, ServiceNotes notes, boolean strict) {
    this.file = file;
    this.defaultName = defaultName;
    this.notes = notes;
    command = new ServiceCommand(notes, strict);
    service = section(toml, "service", "service");
    environment =
        toml.get(List.of("service")) instanceof TomlTable table
            ? section(table, "env", "service.env")
            : new TomlSection("service.env", null, notes);
    relations = section(toml, "dependencies", "dependencies");
    lifecycle = section(toml, "lifecycle", "lifecycle");
    health = section(toml, "health", "health");
    hooks = section(toml, "hooks", "hooks");
    credentials = section(toml, "credentials", "credentials");
    log = section(toml, "log", "log");
    rules = new LifecycleReader(notes, command, lifecycle, health, hooks, log);
  }

  private TomlSection section(TomlTable parent, String key, String title) {
    return new TomlSection(
        title, parent.get(List.of(key)) instanceof TomlTable table ? table : null, notes);
  }

  /** The name, known even if the rest is not valid. */
  @Nullable String name() {
    return name;
  }

  /** The dependencies, known even if the rest is not valid. */
  Dependencies dependencies() {
    return dependencies;
  }

  /** The service; null if something is wrong. */
  @Nullable ServiceSpec service() {
    return built;
  }

  /**
   * Builds the service.
   *
   * @param broken whether parts of the file could not be read, so that a missing key may be there
   */
  void build(boolean broken) {
    for (TomlSection section :
        List.of(service, relations, lifecycle, health, hooks, credentials, log)) {
      section.unknownKeys();
    }
    readName();
    ServiceSpec.Type type =
        TomlSection.or(service.word("type", ServiceSpec.Type.values()), ServiceSpec.Type.SIMPLE);
    boolean shell = TomlSection.or(service.flag("shell"), false);
    List<String> exec = exec(type, shell, broken);
    long instances = TomlSection.or(service.number("instances", 1, 1_000, ""), 1L);
    boolean autostart = TomlSection.or(service.flag("autostart"), true);
    @Nullable String user = account("user");
    @Nullable String group = account("group");
    @Nullable String cwd = directory();
    @Nullable Integer umask = umask();
    @Nullable String description = service.text("description", "\"the shop\"");
    List<String> variables = environment();
    dependencies =
        new Dependencies(
            relation("requires"), relation("wants"), relation("after"), relation("conflicts"));
    @Nullable HealthCheck check = rules.health(type);
    @Nullable Lifecycle life = rules.lifecycle(check != null);
    @Nullable ReadySignal ready = rules.ready(type);
    Hooks commands = rules.hooks(type);
    @Nullable String profile = profile();
    @Nullable LogLimits limits = rules.log();
    noEffectOnATarget(type);
    if (!notes.isValid() || name == null || life == null || limits == null) {
      return;
    }
    built =
        ServiceSpec.builder(name, type, exec)
            .file(file)
            .line(notes.place("service.name").line())
            .shell(shell)
            .instances((int) instances)
            .autostart(autostart)
            .user(user)
            .group(group)
            .cwd(cwd)
            .umask(umask)
            .description(description)
            .environment(variables)
            .dependencies(dependencies)
            .lifecycle(life)
            .readySignal(ready)
            .health(check)
            .hooks(commands)
            .credentialProfile(profile)
            .log(limits)
            .build();
  }

  private void readName() {
    if (service.has("name")) {
      name = service.text("name", "\"web\"");
      @Nullable String problem = name == null ? null : ServiceValues.nameProblem("name", name);
      if (problem != null) {
        service.error("name", problem);
      }
      return;
    }
    name = defaultName;
    @Nullable String problem = ServiceValues.nameProblem("the name from the file's", defaultName);
    if (problem != null) {
      notes.fileError(problem + "; give it one with name = \"…\" under [service]");
    }
  }

  private List<String> exec(ServiceSpec.Type type, boolean shell, boolean broken) {
    if (type == ServiceSpec.Type.TARGET) {
      if (service.has("exec")) {
        service.error("exec", "a target has no process; remove exec, or make it type = \"simple\"");
      }
      return List.of();
    }
    if (!service.has("exec")) {
      if (!broken && !service.isMisspelt("exec")) {
        notes.error(
            service.isThere() ? notes.place("service") : Place.BEGIN,
            "exec is missing under [service]; every service but a target needs one, such as"
                + " exec = \"/usr/bin/web --port 8080\"");
      }
      return List.of();
    }
    return command.words(service, "exec", shell);
  }

  private @Nullable String account(String what) {
    Object value = service.value(what);
    if (value instanceof Long number && number >= 0) {
      value = number.toString();
    } else {
      value = service.text(what, "\"www\"");
    }
    if (!(value instanceof String account)) {
      return null;
    }
    @Nullable String problem = Values.accountProblem(what, account);
    if (problem != null) {
      service.error(what, problem);
    }
    return account;
  }

  private @Nullable String directory() {
    @Nullable String cwd = service.text("cwd", "\"/srv/web\"");
    @Nullable String problem = cwd == null ? null : Values.directoryProblem(cwd);
    if (problem != null) {
      service.error("cwd", problem);
    }
    return cwd;
  }

  private @Nullable Integer umask() {
    Object value = service.value("umask");
    if (value == null) {
      return null;
    }
    int mask = -1;
    if (value instanceof String text
        && !text.isEmpty()
        && text.length() <= 4
        && text.chars().allMatch(c -> c >= '0' && c <= '7')) {
      mask = Integer.parseInt(text, 8);
    } else if (value instanceof Long number
        && number <= 0777
        && (number == 0 || service.source("umask").startsWith("0o"))) {
      mask = number.intValue();
    }
    if (mask < 0 || mask > 0777) {
      service.wrongType(
          "umask", value, "an octal number from 0000 to 0777, as umask = \"0022\" or 0o022");
      return null;
    }
    return mask;
  }

  private List<String> environment() {
    if (service.has("env") && !environment.isThere()) {
      service.wrongType(
          "env", String.valueOf(service.value("env")), "a table [service.env] of KEY = \"value\"");
      return List.of();
    }
    List<String> variables = new ArrayList<>();
    for (Map.Entry<String, Object> entry : environment.entries().entrySet()) {
      String key = entry.getKey();
      if (!(entry.getValue() instanceof String value)) {
        environment.error(
            key,
            VisibleText.of(key)
                + " is "
                + TomlSection.describe(environment.value(key))
                + "; a variable is a text: put it in quotes");
        continue;
      }
      @Nullable String problem = Values.variableProblem(key + "=");
      if (key.indexOf('=') >= 0) {
        problem = "a variable's name may not hold \"=\": " + VisibleText.quote(key);
      }
      problem = problem == null && value.indexOf('\0') >= 0 ? key + " holds a NUL" : problem;
      if (problem != null) {
        notes.error(environment.keyPlace(key), problem);
      } else if (key.startsWith("KRON_")) {
        notes.warning(
            environment.keyPlace(key),
            "variables that begin with KRON_ are krond's own; this may have no effect");
      }
      variables.add(key + "=" + value);
    }
    return variables;
  }

  private List<String> relation(String key) {
    @Nullable List<String> names = relations.texts(key, "[\"db\"]");
    if (names == null) {
      return List.of();
    }
    Set<String> seen = new HashSet<>();
    for (String other : names) {
      if (!seen.add(other)) {
        notes.warning(relations.place(key), key + " names " + VisibleText.quote(other) + " twice");
      }
    }
    return List.copyOf(new java.util.LinkedHashSet<>(names));
  }

  private @Nullable String profile() {
    @Nullable String profile = credentials.text("profile", "\"shop-prod\"");
    @Nullable String problem = profile == null ? null : CredentialProfile.nameProblem(profile);
    if (problem != null) {
      credentials.error("profile", problem);
    }
    if (credentials.isThere() && profile == null && notes.isValid()) {
      notes.error(
          notes.place("credentials"),
          "profile is missing under [credentials]; expected something such as profile ="
              + " \"shop-prod\"");
    }
    return profile;
  }

  /**
   * Warns about keys that have no effect on a target. They are no errors: a target may have been a
   * service, and may become one again.
   */
  private void noEffectOnATarget(ServiceSpec.Type type) {
    if (type != ServiceSpec.Type.TARGET) {
      return;
    }
    for (String key : List.of("shell", "instances", "user", "group", "cwd", "umask", "env")) {
      if (service.has(key)) {
        notes.warning(
            service.keyPlace(key), key + " has no effect: a target has no process of its own");
      }
    }
    for (TomlSection section : List.of(lifecycle, hooks, credentials, log)) {
      for (String key : section.keys()) {
        notes.warning(
            section.keyPlace(key), key + " has no effect: a target has no process of its own");
      }
    }
  }
}
