package dev.kron.simulation;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Kron once more, in a class loader of its own, with one bug in it. */
final class MutatedHouse extends ClassLoader {
  /** The rooms that are loaded anew; the others know nothing of them. */
  private static final List<String> ROOMS =
      List.of(
          "dev.kron.cron.",
          "dev.kron.schedule.",
          "dev.kron.job.",
          "dev.kron.service.",
          "dev.kron.process.",
          "dev.kron.config.",
          "dev.kron.store.",
          "dev.kron.daemon.",
          "dev.kron.simulation.");

  private final Mutation mutation;

  MutatedHouse(Mutation mutation) {
    super(MutatedHouse.class.getClassLoader());
    this.mutation = mutation;
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
      byte[] code = name.equals(mutation.className()) ? mutation.apply(bytes) : bytes;
      return defineClass(name, code, 0, code.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  /** What goes wrong in this house with that seed; null: nothing. */
  @Nullable String violation(long seed) throws ReflectiveOperationException {
    Method method =
        loadClass(Simulation.class.getName()).getMethod("violation", long.class, int.class);
    try {
      return (String) method.invoke(null, seed, Simulation.STEPS);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(mutation.name() + " with seed " + seed, e.getCause());
    }
  }
}
