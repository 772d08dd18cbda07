package dev.kron.simulation;

import dev.kron.config.ConfigFiles.Configuration;
import dev.kron.config.Krontab;
import dev.kron.config.KrontabParser;
import dev.kron.job.JobSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The krontab that the operator edits, and what the parser makes of it. */
final class Files {
  static final Path KRONTAB = Path.of("/sim/etc/jobs");

  private final TreeMap<String, String> entries = new TreeMap<>();
  private boolean bad;

  void put(String name, String entry) {
    entries.put(name, entry);
    bad = false;
  }

  void remove(String name) {
    entries.remove(name);
    bad = false;
  }

  /** Somebody leaves a line in it that means nothing. */
  void spoil() {
    bad = true;
  }

  void mend() {
    bad = false;
  }

  boolean isBad() {
    return bad;
  }

  String text() {
    return String.join("\n", entries.values()) + (bad ? "\n61 * * * * name=x command=/x\n" : "\n");
  }

  Configuration read() {
    Krontab krontab =
        new KrontabParser(KrontabParser.Settings.DEFAULT)
            .parse(KRONTAB, text().getBytes(StandardCharsets.UTF_8));
    return new Configuration(List.of(krontab), List.of(), List.of());
  }

  static Map<String, JobSpec> specs(Configuration configuration) {
    Map<String, JobSpec> specs = new HashMap<>();
    for (Krontab krontab : configuration.krontabs()) {
      krontab.jobs().forEach(spec -> specs.put(spec.identity(), spec));
    }
    return specs;
  }

  static String identity(String name) {
    return KRONTAB + ":" + name;
  }
}
