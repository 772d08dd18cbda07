package dev.kron.service;

import dev.kron.service.Lifecycle.Restart;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** Graphs of services that could be, from a seed. */
final class RandomGraphs {
  private RandomGraphs() {}

  static List<ServiceSpec> specs(RandomGenerator random, int most) {
    int count = 1 + random.nextInt(most);
    List<ServiceSpec> specs = new ArrayList<>();
    List<Specs> drafts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Specs spec = one(random, i);
      Set<Integer> required = new HashSet<>();
      for (int link = random.nextInt(4); link > 0 && i > 0; link--) {
        int other = random.nextInt(i);
        switch (random.nextInt(4)) {
          case 0 -> spec.after("s" + other);
          case 1 -> spec.wants("s" + other);
          default -> {
            if (required.add(other)) {
              spec.requires("s" + other);
            }
          }
        }
      }
      specs.add(spec.make());
      drafts.add(spec);
    }
    for (int i = 1; i < count; i++) {
      if (random.nextInt(8) == 0) {
        addConflict(random, drafts.get(i), i, specs);
      }
    }
    return specs;
  }

  /** A conflict, unless it would keep somebody from ever starting. */
  private static void addConflict(
      RandomGenerator random, Specs spec, int i, List<ServiceSpec> specs) {
    ServiceSpec without = specs.get(i);
    specs.set(i, spec.conflicts("s" + random.nextInt(i)).make());
    if (!ServiceGraph.of(specs).problems().isEmpty()) {
      specs.set(i, without);
    }
  }

  private static Specs one(RandomGenerator random, int i) {
    Specs spec = Specs.service("s" + i);
    switch (random.nextInt(6)) {
      case 0 -> spec.type(ServiceSpec.Type.TARGET);
      case 1 -> spec.type(ServiceSpec.Type.ONESHOT);
      case 2 -> spec.checked();
      default -> spec.instances(1 + random.nextInt(3));
    }
    spec.restart(List.of(Restart.values()).get(random.nextInt(3)));
    return random.nextInt(3) == 0 ? spec.hooked() : spec;
  }
}
