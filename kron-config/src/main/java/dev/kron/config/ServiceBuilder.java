package dev.kron.config;

import dev.kron.config.ServicePlaces.Place;
import dev.kron.service.Dependencies;
import dev.kron.service.HealthCheck;
import dev.kron.service.HealthCheck.Probe;
import dev.kron.service.Lifecycle;
import dev.kron.service.LogLimits;
import dev.kron.service.ServiceSpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.tomlj.TomlTable;

/** Makes a service of the tables of its file, and says all that is wrong with them. */
final class ServiceBuilder {
  private static final long MONTH_MILLIS = 30L * 86_400_000;
  private static final String MILLIS = " of milliseconds";
  private static final long TINY_BYTES = 64 << 10;

  private final String file;
  private final String defaultName;
  private final ServiceNotes notes;
  private final boolean strict;
  private final TomlSection service;
  private final TomlSection environment;
  private final TomlSection relations;
  private final TomlSection lifecycle;
  private final TomlSection health;
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
    this.strict = strict;
    service = section(toml, "service", "service");
    environment =
        toml.get(List.of("service")) instanceof TomlTable table
            ? section(table, "env", "service.env")
            : new TomlSection("service.env", null, notes);
    relations = section(toml, "dependencies", "dependencies");
    lifecycle = section(toml, "lifecycle", "lifecycle");
    health = section(toml, "health", "health");
    credentials = section(toml, "credentials", "credentials");
    log = section(toml, "log", "log");
  }

  private TomlSection section(TomlTable parent, String key, String title) {
    return new TomlSection(
        title, parent.get(List.of(key)) instanceof TomlTable table ? table : null, notes);
  }

  /** Known also where the rest is not valid. */
  @Nullable String name() {
    return name;
  }

  /** Known also where the rest is not valid. */
  Dependencies dependencies() {
    return dependencies;
  }

  /** Null where something is wrong. */
  @Nullable ServiceSpec service() {
    return built;
  }

  /**
   * @param broken parts of the file could not be read, so that what is missing may be there
   */
  void build(boolean broken) {
    for (TomlSection section : List.of(service, relations, lifecycle, health, credentials, log)) {
      section.unknownKeys();
    }
    readName();
    ServiceSpec.Type type =
        or(service.word("type", ServiceSpec.Type.values()), ServiceSpec.Type.SIMPLE);
    boolean shell = or(service.flag("shell"), false);
    List<String> exec = exec(type, shell, broken);
    long instances = or(service.number("instances", 1, 1_000, ""), 1L);
    boolean autostart = or(service.flag("autostart"), true);
    @Nullable String user = account("user");
    @Nullable String group = account("group");
    @Nullable String cwd = directory();
    @Nullable Integer umask = umask();
    @Nullable String description = service.text("description", "\"the shop\"");
    List<String> variables = environment();
    dependencies =
        new Dependencies(
            relation("requires"), relation("wants"), relation("after"), relation("conflicts"));
    @Nullable HealthCheck check = health(type);
    @Nullable Lifecycle life = lifecycle(check != null);
    @Nullable String profile = profile();
    @Nullable LogLimits limits = log();
    noEffectOnATarget(type);
    if (!notes.isValid() || name == null || life == null || limits == null) {
      return;
    }
    built =
        new ServiceSpec(
            file,
            notes.place("service.name").line(),
            name,
            type,
            exec,
            shell,
            (int) instances,
            autostart,
            user,
            group,
            cwd,
            umask,
            description,
            variables,
            dependencies,
            life,
            check,
            profile,
            limits);
  }

  private static <T> T or(@Nullable T value, T otherwise) {
    return value == null ? otherwise : value;
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
    return command(service, "exec", shell);
  }

  /** The words of a command: a text that is split as in a krontab, or a list. */
  private List<String> command(TomlSection section, String key, boolean shell) {
    Object value = section.value(key);
    if (value instanceof String) {
      @Nullable String text = section.text(key, "\"/usr/bin/web --port 8080\"");
      return text == null ? List.of() : shell ? List.of(text) : split(section, key, text);
    }
    if (value != null && !(value instanceof org.tomlj.TomlArray)) {
      section.wrongType(key, value, "a text, \"/usr/bin/web --port 8080\", or a list of words");
      return List.of();
    }
    @Nullable List<String> words = section.texts(key, "[\"/usr/bin/web\", \"--port\", \"8080\"]");
    if (words == null) {
      return List.of();
    }
    if (shell) {
      section.error(
          key, key + " is a list, but shell = true wants one text, which the shell will split");
      return List.of();
    }
    return program(section, key, words);
  }

  private List<String> split(TomlSection section, String key, String text) {
    Words words = Words.split(text);
    @Nullable String problem = words.problem();
    if (problem != null) {
      notes.error(within(section, key, words.offset()), problem);
      return List.of();
    }
    for (String word :
        words.words().subList(Math.min(1, words.words().size()), words.words().size())) {
      if (CommandText.isShellWord(word)) {
        section.warning(
            key,
            VisibleText.quote(word)
                + " is passed to the program as a word; for a pipe, a redirection or a list of"
                + " commands add shell = true");
        break;
      }
    }
    return program(section, key, words.words());
  }

  private List<String> program(TomlSection section, String key, List<String> words) {
    if (words.isEmpty() || words.getFirst().isEmpty()) {
      section.error(key, key + " names no program: its first word is empty");
      return List.of();
    }
    String program = words.getFirst();
    if (strict && program.charAt(0) != '/') {
      section.error(
          key,
          key
              + " is the relative path "
              + VisibleText.quote(program)
              + "; strict mode wants an absolute one, such as /usr/bin/"
              + VisibleText.of(program.substring(program.lastIndexOf('/') + 1)));
    }
    return words;
  }

  /** Inside a text on one line without escapes the place is exact; otherwise where it begins. */
  private static Place within(TomlSection section, String key, int offset) {
    Place place = section.place(key);
    String source = section.source(key);
    boolean plain =
        (source.startsWith("'") && !source.startsWith("'''"))
            || (source.startsWith("\"")
                && !source.startsWith("\"\"\"")
                && source.indexOf('\\') < 0);
    return plain && offset + 1 < source.length()
        ? new Place(place.line(), place.column() + 1 + source.codePointCount(1, offset + 1))
        : place;
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

  private @Nullable HealthCheck health(ServiceSpec.Type type) {
    if (!health.isThere()) {
      return null;
    }
    if (type == ServiceSpec.Type.TARGET) {
      notes.error(notes.place("health"), "a target has no process to check; remove [health]");
      return null;
    }
    long interval = or(health.number("interval_ms", 1, MONTH_MILLIS, MILLIS), 5_000L);
    long timeout = or(health.number("timeout_ms", 1, MONTH_MILLIS, MILLIS), 2_000L);
    long retries = or(health.number("retries", 1, 1_000, ""), 3L);
    List<String> probes = List.of("exec", "http", "tcp").stream().filter(health::has).toList();
    if (probes.size() > 1) {
      for (String extra : probes.subList(1, probes.size())) {
        notes.error(
            health.keyPlace(extra),
            "a service has one health check, and "
                + probes.getFirst()
                + " is it already; keep one of "
                + String.join(", ", probes));
      }
      return null;
    }
    if (probes.isEmpty()) {
      if (health.keys().stream().noneMatch(key -> health.isMisspelt("exec"))) {
        notes.warning(
            notes.place("health"),
            "[health] without exec, http or tcp checks nothing: the service counts as ready as"
                + " soon as it was started");
      }
      return null;
    }
    @Nullable Probe probe = probe(probes.getFirst());
    return probe == null ? null : new HealthCheck(probe, interval, timeout, (int) retries);
  }

  private @Nullable Probe probe(String key) {
    if (key.equals("exec")) {
      List<String> command = command(health, key, false);
      return command.isEmpty() ? null : new Probe.Exec(command);
    }
    String example = key.equals("http") ? "\"http://localhost:8080/up\"" : "\"localhost:8080\"";
    @Nullable String text = health.text(key, example);
    if (text == null) {
      return null;
    }
    @Nullable Probe probe = key.equals("http") ? ServiceValues.http(text) : ServiceValues.tcp(text);
    if (probe == null) {
      health.error(
          key, key + " is " + VisibleText.quote(text) + "; expected something such as " + example);
    }
    return probe;
  }

  private @Nullable Lifecycle lifecycle(boolean hasCheck) {
    Lifecycle standard = Lifecycle.standard(hasCheck);
    Lifecycle.Restart restart =
        or(lifecycle.word("restart", Lifecycle.Restart.values()), standard.restart());
    long delay =
        or(
            lifecycle.number("restart_delay_ms", 0, MONTH_MILLIS, MILLIS),
            standard.restartDelayMillis());
    @Nullable Long most = lifecycle.number("restart_delay_max_ms", 0, MONTH_MILLIS, MILLIS);
    if (most != null && most < delay) {
      lifecycle.error(
          "restart_delay_max_ms",
          "restart_delay_max_ms is %d, less than restart_delay_ms, which is %d"
              .formatted(most, delay));
      return null;
    }
    return new Lifecycle(
        restart,
        delay,
        most == null ? Math.max(delay, standard.restartDelayMaxMillis()) : most,
        (int)
            (long)
                or(
                    lifecycle.number("max_restarts", 0, 1_000_000, ""),
                    (long) standard.maxRestarts()),
        or(
            lifecycle.number("start_timeout_ms", 1, MONTH_MILLIS, MILLIS),
            standard.startTimeoutMillis()),
        or(
            lifecycle.number("stop_timeout_ms", 1, MONTH_MILLIS, MILLIS),
            standard.stopTimeoutMillis()),
        or(stopSignal(), standard.stopSignal()),
        or(lifecycle.number("min_uptime_ms", 0, MONTH_MILLIS, MILLIS), standard.minUptimeMillis()));
  }

  private @Nullable String stopSignal() {
    Object value = lifecycle.value("stop_signal");
    if (value instanceof Long) {
      lifecycle.wrongType("stop_signal", value, "a signal by its name, such as \"SIGINT\"");
      return null;
    }
    @Nullable String text = lifecycle.text("stop_signal", "\"SIGINT\"");
    @Nullable String signal = text == null ? null : ServiceValues.signal(text);
    if (text != null && signal == null) {
      lifecycle.error("stop_signal", ServiceValues.signalProblem(text));
    }
    return signal;
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

  private @Nullable LogLimits log() {
    long keep = or(log.number("keep", 0, 1_000, ""), (long) LogLimits.STANDARD.keep());
    Object value = log.value("max_size");
    long size = LogLimits.STANDARD.maxSizeBytes();
    if (value instanceof String text) {
      size = ServiceValues.size(text);
    } else if (value instanceof Long number) {
      size = ServiceValues.size(number.toString());
    } else if (value != null) {
      size = -1;
    }
    if (size < 0) {
      log.wrongType("max_size", value, "a size from 1 byte to 1 TiB, such as \"10MiB\"");
      return null;
    }
    if (size < TINY_BYTES) {
      log.warning(
          "max_size",
          "max_size is %d bytes, so small that the log is rotated all the time; 64KiB is a good"
                  .formatted(size)
              + " least");
    }
    return new LogLimits(size, (int) keep);
  }

  /** Not errors: a target may have been a service, and may become one again. */
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
    for (TomlSection section : List.of(lifecycle, credentials, log)) {
      for (String key : section.keys()) {
        notes.warning(
            section.keyPlace(key), key + " has no effect: a target has no process of its own");
      }
    }
  }
}
