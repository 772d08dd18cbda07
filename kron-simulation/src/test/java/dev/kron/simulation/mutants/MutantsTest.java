package dev.kron.simulation.mutants;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A tool that plants bugs, and what comes of them. {@code -Dkron.mutants=SEED} takes the sample of
 * that seed; {@code -Dkron.mutants.count=N} says how many, {@code -Dkron.mutants.only=3,17} judges
 * only those of them again, {@code -Dkron.mutants.histories=N} plays as many histories at most for
 * a bug that no test finds. The table grows in {@code kron-simulation/target/mutants}, row by row.
 */
class MutantsTest {
  private static final Path ROOT =
      Path.of(System.getProperty("kron.root", "..")).toAbsolutePath().normalize();
  private static final String SPECIMEN = Specimen.class.getName();

  @Test
  void everyKindOfBugIsPlantedAndChangesWhatTheCodeDoes() throws Exception {
    byte[] original = bytes();
    List<Mutant> mutants = Mutant.in(original);
    assertEquals(
        EnumSet.allOf(Operator.class),
        EnumSet.copyOf(mutants.stream().map(Mutant::operator).toList()));
    String sound = told(original);
    assertEquals("false true 10 [one, two] 40", sound);
    Set<String> told = new HashSet<>();
    for (Mutant mutant : mutants) {
      if (!mutant.method().equals("told")) {
        byte[] planted = mutant.plantedIn(original);
        assertTrue(Sample.isSound(planted), mutant.toString());
        String now = told(planted);
        assertNotEquals(sound, now, mutant.toString());
        told.add(now);
      }
    }
    assertTrue(told.size() > 10, told.toString());
  }

  private static byte[] bytes() throws IOException {
    try (InputStream in =
        Specimen.class.getResourceAsStream(Specimen.class.getSimpleName() + ".class")) {
      return Objects.requireNonNull(in).readAllBytes();
    }
  }

  private static String told(byte[] code) throws ReflectiveOperationException {
    var loader =
        new ClassLoader(MutantsTest.class.getClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(SPECIMEN)
                ? Objects.requireNonNullElseGet(
                    findLoadedClass(name), () -> defineClass(name, code, 0, code.length))
                : super.loadClass(name, resolve);
          }
        };
    Class<?> type = loader.loadClass(SPECIMEN);
    var constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    var method = type.getDeclaredMethod("told");
    method.setAccessible(true);
    try {
      return String.valueOf(method.invoke(constructor.newInstance()));
    } catch (InvocationTargetException e) {
      return String.valueOf(e.getCause());
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "kron.mutants", matches = "\\d+")
  void sample() throws IOException, InterruptedException {
    long seed = Long.getLong("kron.mutants", 0);
    String only = System.getProperty("kron.mutants.only", "");
    Path directory = ROOT.resolve("kron-simulation/target/mutants");
    Files.createDirectories(directory);
    Path table = directory.resolve("sample-" + seed + (only.isEmpty() ? "" : "-again") + ".md");
    var laboratory = new Laboratory(ROOT);
    List<Mutant> sample =
        Sample.take(laboratory.classes(), seed, Integer.getInteger("kron.mutants.count", 50));
    assertFalse(sample.isEmpty(), "compile everything first");
    var judge = new Judge(laboratory, Baseline.of(laboratory, directory), directory);
    Path attempts = table.resolveSibling(table.getFileName() + ".tried");
    Set<String> tried = Set.copyOf(lines(attempts));
    SortedSet<Integer> left = new TreeSet<>();
    List<String> rows = lines(table);
    for (int number = 1; number <= sample.size(); number++) {
      String start = "| " + number + " | ";
      if (isWanted(number, only) && rows.stream().noneMatch(row -> row.startsWith(start))) {
        left.add(number);
      }
    }
    for (Judge.Means means : Judge.Means.values()) {
      for (int number : List.copyOf(left)) {
        String attempt = number + " " + means;
        if (tried.contains(attempt)) {
          continue; // before this was interrupted
        }
        String found = judge.found(sample.get(number - 1), means);
        append(attempts, attempt + "\n");
        if (found != null) {
          left.remove(number);
          append(table, number, sample.get(number - 1), found);
        }
      }
      System.out.println(means + ": " + left.size() + " are left");
    }
    for (int number : left) {
      append(table, number, sample.get(number - 1), "survives");
    }
  }

  private static List<String> lines(Path file) throws IOException {
    return Files.exists(file) ? Files.readAllLines(file) : List.of();
  }

  private static void append(Path table, int number, Mutant mutant, String found)
      throws IOException {
    String row = "| " + number + " | " + mutant + " | " + found + " |\n";
    append(table, row);
    System.out.print(row);
  }

  private static void append(Path file, String line) throws IOException {
    Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  @Test
  void theSameSeedTakesTheSameSample() {
    List<Path> classes = new Laboratory(ROOT).classes();
    assumeFalse(Sample.files(classes).isEmpty(), "the other modules were not compiled here");
    List<Mutant> sample = Sample.take(classes, 1, 5);
    assertEquals(sample, Sample.take(classes, 1, 5));
    assertNotEquals(sample, Sample.take(classes, 2, 5));
  }

  private static boolean isWanted(int number, String only) {
    return only.isEmpty() || Arrays.asList(only.split(",")).contains(Integer.toString(number));
  }
}
