package dev.kron.daemon.services;

import dev.kron.service.ServiceSpec;
import dev.kron.store.FingerprintKey;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Fingerprints of all that a process is started with, secrets included, made with a key that only
 * the daemon's user can read. They show whether a process would differ if it were started now.
 */
final class Fingerprints {
  private volatile @Nullable FingerprintKey key;

  /** Sets the key; called before all else. */
  void use(FingerprintKey known) {
    key = known;
  }

  /**
   * @param secrets {@code KEY=value} of the profile
   */
  String of(ServiceSpec spec, @Nullable String profile, List<String> secrets) {
    var text = new StringBuilder();
    spec.exec().forEach(word -> add(text, "exec", word));
    add(text, "shell", String.valueOf(spec.shell()));
    add(text, "user", spec.user());
    add(text, "group", spec.group());
    add(text, "cwd", spec.cwd());
    add(text, "umask", spec.umask() == null ? null : spec.umask().toString());
    spec.environment().forEach(variable -> add(text, "env", variable));
    if (spec.readySignal() != null) {
      add(text, "ready", spec.readySignal().text());
    }
    add(text, "profile", profile);
    secrets.forEach(variable -> add(text, "secret", variable));
    return Objects.requireNonNull(key).of(text.toString().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The name of the socket at which a run is heard. Nobody but the run's own user can know it, and
   * every daemon of this state directory does.
   */
  String socket(String runId) {
    byte[] text = ("socket " + runId).getBytes(StandardCharsets.UTF_8);
    return "@kron/" + Objects.requireNonNull(key).of(text);
  }

  /** Adds a text with its length, so that no two lists of texts look the same. */
  private static void add(StringBuilder text, String name, @Nullable String value) {
    text.append(name).append(' ');
    if (value != null) {
      text.append(value.length()).append(' ').append(value);
    }
    text.append('\n');
  }
}
