package dev.kron.simulation;

import dev.kron.simulation.fleet.FleetScenario;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Kron once more, in a class loader of its own, with bugs in it, one of which is awake at a time:
 * what was loaded and compiled for one serves them all.
 */
public final class MutatedHouse extends ClassLoader {
  /** The rooms that are loaded anew; the others know nothing of them. */
  private static final List<String> ROOMS =
      List.of(
          "dev.kron.cron.",
          "dev.kron.schedule.",
          "dev.kron.job.",
          "dev.kron.service.",
          "dev.kron.notice.",
          "dev.kron.notify.",
          "dev.kron.process.",
          "dev.kron.config.",
          "dev.kron.store.",
          "dev.kron.fleet.",
          "dev.kron.daemon.",
          "dev.kron.simulation.");

  private final List<Mutation> mutations;

  public MutatedHouse(List<Mutation> mutations) {
    super(MutatedHouse.class.getClassLoader());
    this.mutations = List.copyOf(mutations);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (ROOMS.stream().noneMatch(name::startsWith)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    String file = name.replace('.', '/') + ".class";
    try (InputStream in = Objects.requireNonNull(getParent()).getResourceAsStream(file)) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      byte[] bytes = in.readAllBytes();
      Map<Integer, Mutation> bugs = bugs(name);
      byte[] code = bugs.isEmpty() ? bytes : Mutation.plant(bytes, bugs);
      return defineClass(name, code, 0, code.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private Map<Integer, Mutation> bugs(String className) {
    Map<Integer, Mutation> bugs = new TreeMap<>();
    for (int i = 0; i < mutations.size(); i++) {
      if (mutations.get(i).className().equals(className)) {
        bugs.put(i + 1, mutations.get(i));
      }
    }
    return bugs;
  }

  /** From now on this bug is awake; null: none. */
  public void wake(@Nullable Mutation bug) throws ReflectiveOperationException {
    loadClass(Planted.class.getName())
        .getField("number")
        .setInt(null, bug == null ? 0 : mutations.indexOf(bug) + 1);
  }

  /** What goes wrong in this house with that seed; null: nothing. */
  @Nullable String violation(long seed) throws ReflectiveOperationException {
    return violation(Simulation.class, seed);
  }

  /** The same of a fleet. */
  public @Nullable String fleetViolation(long seed) throws ReflectiveOperationException {
    return violation(FleetScenario.class, seed);
  }

  private @Nullable String violation(Class<?> of, long seed) throws ReflectiveOperationException {
    Method method = loadClass(of.getName()).getMethod("violation", long.class, int.class);
    try {
      return (String) method.invoke(null, seed, Simulation.STEPS);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException("seed " + seed, e.getCause());
    }
  }
}
