package dev.kron.simulation;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.Krontab;
import dev.kron.config.KrontabParser;
import dev.kron.config.NotifyFile;
import dev.kron.config.ServiceFile;
import dev.kron.config.ServiceParser;
import dev.kron.notice.Channel;
import dev.kron.notice.NotifySpec;
import dev.kron.service.ServiceGraph;
import dev.kron.service.ServiceSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The krontab that the operator edits, and what the parser makes of it. */
final class Files {
  static final Path KRONTAB = Path.of("/sim/etc/jobs");

  private static final Path NOTIFY = KRONTAB.resolveSibling(NotifyFile.NAME);

  private final TreeMap<String, String> entries = new TreeMap<>();
  private final TreeMap<String, ServiceFile> services = new TreeMap<>();
  private final Map<String, String> serviceTexts = new HashMap<>();
  private boolean bad;
  private @Nullable NotifyEntry notice;
  private @Nullable NotifyFile notifyFile;

  /** The parser's result for a text that it read before; it makes the same of it each time. */
  private @Nullable Krontab parsed;

  private String parsedText = "";
  private List<String> readLines = List.of();
  private Map<String, JobEntry> readEntries = Map.of();

  void put(String name, String entry) {
    entries.put(name, entry);
    bad = false;
  }

  /** An operator writes who is to be told of what; null: nobody is. */
  void tell(@Nullable NotifyEntry entry) {
    notice = entry;
    notifyFile =
        entry == null
            ? null
            : withoutProfiles(
                NotifyFile.parse(NOTIFY, entry.text().getBytes(StandardCharsets.UTF_8)));
  }

  /** Credentials do not exist on a simulated machine, and nobody asks for them. */
  private static NotifyFile withoutProfiles(NotifyFile parsed) {
    Map<String, Channel> channels = new LinkedHashMap<>();
    parsed.spec().channels().forEach((name, it) -> channels.put(name, it.withoutProfile()));
    return new NotifyFile(
        parsed.file(),
        parsed.status(),
        new NotifySpec(channels, parsed.spec().rules()),
        parsed.diagnostics());
  }

  /** The rules that say who is told of what; null: nobody is. */
  @Nullable NotifyEntry notice() {
    return notice;
  }

  void remove(String name) {
    entries.remove(name);
    bad = false;
  }

  void putService(String name, String text) {
    Path file = KRONTAB.resolveSibling(name + ".toml");
    serviceTexts.put(name, text);
    services.put(
        name,
        new ServiceParser(KrontabParser.Settings.DEFAULT)
            .parse(file, text.getBytes(StandardCharsets.UTF_8)));
  }

  /** The line of a job, null where there is none. */
  @Nullable String entry(String name) {
    return entries.get(name);
  }

  /** The file of a service, null where there is none. */
  @Nullable String service(String name) {
    return services.containsKey(name) ? serviceTexts.get(name) : null;
  }

  void removeService(String name) {
    services.remove(name);
  }

  /** Whether the services fit together; if not, no daemon takes the files. */
  private boolean servicesFit() {
    return ServiceGraph.of(serviceSpecs()).problems().isEmpty();
  }

  private List<ServiceSpec> serviceSpecs() {
    return services.values().stream().map(it -> Objects.requireNonNull(it.service())).toList();
  }

  /** An operator leaves a line in the file that means nothing. */
  void spoil() {
    bad = true;
  }

  /** Takes out what is wrong. */
  void mend() {
    bad = false;
    while (!servicesFit()) {
      services.pollLastEntry();
    }
  }

  boolean isBad() {
    return bad || !servicesFit();
  }

  private List<String> lines() {
    return entries.values().stream()
        .map(entry -> Entries.withKnown(entry, entries::containsKey))
        .toList();
  }

  String text() {
    return String.join("\n", lines()) + (isBad() ? "\n61 * * * * name=x command=/x\n" : "\n");
  }

  Configuration read() {
    String text = text();
    Krontab krontab = parsed;
    if (krontab == null || !text.equals(parsedText)) {
      krontab =
          new KrontabParser(KrontabParser.Settings.DEFAULT)
              .parse(KRONTAB, text.getBytes(StandardCharsets.UTF_8));
      parsed = krontab;
      parsedText = text;
    }
    return new Configuration(
        List.of(krontab), List.copyOf(services.values()), List.of(), notifyFile);
  }

  static Map<String, ServiceSpec> serviceSpecs(Configuration configuration) {
    Map<String, ServiceSpec> specs = new TreeMap<>();
    for (ServiceFile file : configuration.services()) {
      ServiceSpec spec = Objects.requireNonNull(file.service());
      specs.put(spec.name(), spec);
    }
    return specs;
  }

  /** The jobs, as the witness reads them. */
  Map<String, JobEntry> entries() {
    List<String> lines = lines();
    if (!lines.equals(readLines)) {
      readLines = lines;
      readEntries = JobEntry.read(lines);
    }
    return readEntries;
  }

  static String identity(String name) {
    return KRONTAB + ":" + name;
  }
}
