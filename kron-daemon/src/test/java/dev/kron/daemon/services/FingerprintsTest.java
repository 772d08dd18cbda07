package dev.kron.daemon.services;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.service.ReadySignal;
import dev.kron.service.ServiceSpec;
import dev.kron.store.LinuxDisk;
import dev.kron.store.StateDirectory;
import dev.kron.store.StateSettings;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a process is started with tells it from one that was started without. */
class FingerprintsTest {
  private static final List<UnaryOperator<ServiceSpec.Builder>> OTHERS =
      List.of(
          spec -> spec.shell(true),
          spec -> spec.user("nobody"),
          spec -> spec.group("nobody"),
          spec -> spec.cwd("nobody"),
          spec -> spec.umask(18),
          spec -> spec.umask(63),
          spec -> spec.environment(List.of("A=nobody")),
          spec -> spec.environment(List.of("A=nobody", "B=")),
          spec -> spec.readySignal(new ReadySignal.Notify()),
          spec -> spec.readySignal(new ReadySignal.Descriptor(3)));

  @TempDir Path directory;

  private static ServiceSpec.Builder spec(String... exec) {
    return ServiceSpec.builder("web", ServiceSpec.Type.SIMPLE, List.of(exec));
  }

  private static String of(
      Fingerprints prints, ServiceSpec.Builder spec, @Nullable String profile, String... secrets) {
    return prints.of(spec.build(), profile, List.of(secrets));
  }

  @Test
  void everyPartCounts() throws Exception {
    try (var state =
        StateDirectory.open(
            directory.resolve("state"),
            new LinuxDisk(),
            StateSettings.standard(100, () -> Instant.EPOCH),
            "the test")) {
      var prints = new Fingerprints();
      prints.use(state.fingerprintKey(new SplittableRandom(1)));
      List<String> all = new ArrayList<>();
      all.add(of(prints, spec("web"), null));
      all.add(of(prints, spec("web", "nobody"), null));
      all.add(of(prints, spec("web nobody"), null));
      OTHERS.forEach(other -> all.add(of(prints, other.apply(spec("web")), null)));
      all.add(of(prints, spec("web"), "nobody"));
      all.add(of(prints, spec("web"), "nobody", "A=nobody"));
      all.add(of(prints, spec("web"), "nobody", "A=nobody", "B="));
      assertEquals(all.size(), new HashSet<>(all).size(), "no two are the same");
      assertEquals(all.getFirst(), of(prints, spec("web").description("the site"), null));
    }
  }
}
