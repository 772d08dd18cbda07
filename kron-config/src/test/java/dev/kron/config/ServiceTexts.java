package dev.kron.config;

import dev.kron.service.ServiceSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Short ways to read a service file, for tests. */
final class ServiceTexts {
  static final Path FILE = Path.of("/etc/krond.d/web.toml");

  private ServiceTexts() {}

  static ServiceFile parse(String text) {
    return parse(text.getBytes(StandardCharsets.UTF_8), false);
  }

  static ServiceFile parse(byte[] content, boolean strict) {
    return new ServiceParser(KrontabParser.Settings.DEFAULT.withStrict(strict))
        .parse(FILE, content);
  }

  /** The service of a valid text without warnings; fails with what is said of it. */
  static ServiceSpec service(String text) {
    ServiceFile file = parse(text);
    ServiceSpec service = file.service();
    if (service == null || !file.diagnostics().isEmpty()) {
      throw new AssertionError(file.diagnostics().toString());
    }
    return service;
  }

  /** A service with more lines behind its exec. */
  static ServiceSpec serviceWith(String lines) {
    return service("[service]\nexec = \"/bin/web\"\n" + lines);
  }

  /** The diagnostics as {@code line:column: message}. */
  static List<String> said(String text) {
    return said(parse(text));
  }

  static List<String> said(ServiceFile file) {
    return file.diagnostics().stream()
        .map(diagnostic -> diagnostic.toString().substring(file.file().length() + 1))
        .toList();
  }
}
