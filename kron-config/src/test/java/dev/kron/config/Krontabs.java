package dev.kron.config;

import dev.kron.job.JobSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Short ways to parse a text, for tests. */
final class Krontabs {
  static final Path FILE = Path.of("/etc/krond.d/test.kron");

  private Krontabs() {}

  static Krontab parse(String text) {
    return parse(text, KrontabParser.Settings.DEFAULT);
  }

  static Krontab parse(String text, KrontabParser.Settings settings) {
    return parse(text.getBytes(StandardCharsets.UTF_8), settings);
  }

  static Krontab parse(byte[] content, KrontabParser.Settings settings) {
    return new KrontabParser(settings).parse(FILE, content);
  }

  /** The one job of a valid text; fails with what is wrong. */
  static JobSpec job(String text) {
    Krontab krontab = parse(text);
    if (krontab.jobs().size() != 1 || !krontab.diagnostics().isEmpty()) {
      throw new AssertionError(krontab.jobs().size() + " jobs, " + krontab.diagnostics());
    }
    return krontab.jobs().getFirst();
  }

  /** An entry with the given fields beside its schedule, name and command. */
  static JobSpec jobWith(String fields) {
    return job("0 0 * * * name=a command=/bin/true " + fields);
  }

  /** The diagnostics as {@code line:column: message}. */
  static List<String> said(Krontab krontab) {
    return krontab.diagnostics().stream()
        .map(diagnostic -> diagnostic.toString().substring(FILE.toString().length() + 1))
        .toList();
  }

  static List<String> said(String text) {
    return said(parse(text));
  }
}
