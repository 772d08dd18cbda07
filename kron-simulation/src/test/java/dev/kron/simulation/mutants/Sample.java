package dev.kron.simulation.mutants;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The bugs that a seed chooses: any place is as likely as any other, but no method has two. What is
 * left out was decided before any was tried: what only words messages, and what only warms up.
 */
final class Sample {
  private static final List<String> PACKAGES =
      List.of("dev/kron/job", "dev/kron/service", "dev/kron/daemon", "dev/kron/store");

  /** What tells in words what happened, for the log; and what only runs when Kron is built. */
  private static final Set<String> LEFT_OUT =
      Set.of("JobLog", "ServiceLog", "DaemonTraining", "package-info");

  private Sample() {}

  /**
   * @param classes directories with classes
   */
  static List<Mutant> take(List<Path> classes, long seed, int count) {
    List<Mutant> all = all(classes);
    Collections.shuffle(all, new Random(seed));
    Set<String> methods = new HashSet<>();
    List<Mutant> sample = new ArrayList<>();
    for (Mutant mutant : all) {
      if (sample.size() < count
          && methods.add(mutant.methodId())
          && isSound(mutant.plantedIn(bytes(classes, mutant.className())))) {
        sample.add(mutant);
      }
    }
    return sample;
  }

  /** All that there are, in an order that depends on nothing but the classes. */
  static List<Mutant> all(List<Path> classes) {
    return new ArrayList<>(
        files(classes).stream().flatMap(file -> Mutant.in(read(file)).stream()).toList());
  }

  /** The files of the classes that bugs are planted in. */
  static List<Path> files(List<Path> classes) {
    List<Path> files = new ArrayList<>();
    for (Path directory : classes) {
      for (String name : PACKAGES) {
        if (Files.isDirectory(directory.resolve(name))) {
          try (Stream<Path> found = Files.walk(directory.resolve(name))) {
            found.filter(Sample::isWanted).sorted().forEach(files::add);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      }
    }
    return files;
  }

  private static boolean isWanted(Path file) {
    String name = String.valueOf(file.getFileName());
    return name.endsWith(".class") && !LEFT_OUT.contains(name.split("[$.]")[0]);
  }

  static byte[] bytes(List<Path> classes, String className) {
    return classes.stream()
        .map(directory -> directory.resolve(className.replace('.', '/') + ".class"))
        .filter(Files::exists)
        .map(Sample::read)
        .findFirst()
        .orElseThrow();
  }

  static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A class that the machine would refuse is no bug that anybody could have written. */
  static boolean isSound(byte[] code) {
    return ClassFile.of().verify(code).isEmpty();
  }
}
