package dev.kron.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Arrows point one way, towards core, and core touches nothing of the world. This module's tests
 * have every module on their class path, so all are seen here.
 */
class ArchitectureTest {
  private static final JavaClasses CLASSES = Rooms.classes();
  private static final RoomTable TABLE = Rooms.table();
  private static final Set<String> PACKAGES = Rooms.packages(CLASSES);
  private static final Collection<RoomTable.Use> USES = Rooms.uses(CLASSES);

  /** What would make a decision depend on when, where or on what machine it is taken. */
  private static final Map<String, Set<String>> WORLDLY_METHODS =
      Map.ofEntries(
          Map.entry(
              "java.lang.System",
              Set.of("currentTimeMillis", "nanoTime", "getenv", "getProperty", "getProperties")),
          Map.entry("java.lang.Math", Set.of("random")),
          Map.entry("java.lang.Boolean", Set.of("getBoolean")),
          Map.entry("java.lang.Integer", Set.of("getInteger")),
          Map.entry("java.lang.Long", Set.of("getLong")),
          Map.entry("java.util.Locale", Set.of("getDefault", "setDefault")),
          Map.entry("java.util.TimeZone", Set.of("getDefault", "setDefault")),
          Map.entry("java.util.UUID", Set.of("randomUUID")),
          Map.entry("java.util.Collections", Set.of("shuffle")),
          Map.entry("java.util.Collection", Set.of("parallelStream")),
          Map.entry("java.time.ZoneId", Set.of("systemDefault")));

  private static final String WORLDLY_TYPES =
      String.join(
          "|",
          "java\\.io\\.(?!Serializable|Closeable|ObjectStreamException|IOException|UncheckedIOException).*",
          "java\\.nio\\.(file|channels)\\..*",
          "java\\.net\\.(?!URI$).*",
          "java\\.lang\\.(Thread(Local|Group)?|Process(Builder|Handle)?|Runtime)(\\$.*)?",
          "java\\.util\\.(Random|SplittableRandom|Timer|Date|Calendar)",
          "java\\.util\\.random\\..*",
          "java\\.security\\.SecureRandom",
          "java\\.time\\.(Clock|InstantSource)",
          "java\\.util\\.concurrent\\.(?!ConcurrentHashMap|ConcurrentMap|atomic\\.).*");

  @Test
  void everyModuleIsSeen() {
    Set<String> seen = CLASSES.stream().map(JavaClass::getPackageName).collect(Collectors.toSet());
    var unseen = new TreeSet<>(Rooms.packagesInSources());
    unseen.removeAll(seen);
    assertEquals(Set.of(), unseen, "packages with sources, but not on this test's class path");
  }

  @Test
  void theHouseIsWhatTheTableSays() {
    assertEquals(List.of(), TABLE.problems(PACKAGES, USES));
  }

  @Test
  void aRowThatIsRemovedIsMissed() {
    assertTrue(TABLE.rows().size() > 20, TABLE.toString());
    for (RoomTable.Row row : TABLE.rows()) {
      assertNotEquals(List.of(), found(TABLE.without(row)), row.name());
    }
  }

  /** So an import that crosses the table is seen, and the table allows nothing that nobody does. */
  @Test
  void anArrowThatIsRemovedIsMissed() {
    for (RoomTable.Row row : TABLE.rows()) {
      for (String arrow : row.mayUse()) {
        assertNotEquals(
            List.of(),
            found(TABLE.without(row, arrow)),
            row.name() + " may use " + arrow + ", and need not");
      }
    }
  }

  @Test
  void anImportThatCrossesTheTableIsSeen(@TempDir Path directory) throws IOException {
    Path source =
        Files.writeString(
            directory.resolve("Crossing.java"),
            """
            package dev.kron.daemon.jobs;

            import dev.kron.daemon.services.Services;
            import static dev.kron.simulation.Invariant.NO_OVERLAP;
            import java.util.List;
            """);
    List<RoomTable.Use> uses = Rooms.imports(source).toList();
    assertEquals(2, uses.size(), uses::toString);
    for (RoomTable.Use use : uses) {
      List<String> found = TABLE.problems(PACKAGES, List.of(use));
      assertEquals(1, found.size(), found::toString);
      assertTrue(
          found.getFirst().startsWith("dev.kron.daemon.jobs may not use " + use.to()),
          found::toString);
    }
  }

  @Test
  void aDoorThatIsRemovedIsMissed() {
    for (RoomTable.Row row : TABLE.rows()) {
      for (String door : row.doors() == null ? Set.<String>of() : row.doors()) {
        assertNotEquals(
            List.of(),
            found(TABLE.withoutDoor(row, door)),
            door + " of " + row.name() + " is a door that nobody uses");
      }
    }
  }

  /** What is wrong with a changed table, and with the one of the page is not. */
  private static List<String> found(RoomTable changed) {
    List<String> before = TABLE.problems(PACKAGES, USES);
    return changed.problems(PACKAGES, USES).stream().filter(it -> !before.contains(it)).toList();
  }

  @Test
  void twoRoomsThatKnowEachOtherAreSeen() {
    RoomTable table =
        RoomTable.of(
            """
            | module | package | what lives there | may depend on | doors |
            | --- | --- | --- | --- | --- |
            | one | `dev.kron.a` | | `b` | all |
            | | `dev.kron.b` | | `c` | all |
            | | `dev.kron.c` | | `a` | all |
            | two | `dev.kron.d` | | `a` | all |
            """);
    assertEquals(
        List.of("a cycle in or below [dev.kron.a, dev.kron.b, dev.kron.c, dev.kron.d]"),
        table.problems(Set.of("dev.kron.a", "dev.kron.b", "dev.kron.c", "dev.kron.d"), Set.of()));
  }

  @Test
  void coreTouchesNoClockFileThreadRandomSourceOrEnvironment() {
    noClasses()
        .that(areCore())
        .should()
        .dependOnClassesThat()
        .haveNameMatching(WORLDLY_TYPES)
        .orShould()
        .accessTargetWhere(isWorldly())
        .check(CLASSES);
  }

  @Test
  void coreAndProcessNeedNothingButTheJdk() {
    classes()
        .that(areCore())
        .or(areIn("process"))
        .or(areIn("cluster"))
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "javax.sql..", "dev.kron..", "org.jspecify.annotations..")
        .check(CLASSES);
  }

  @Test
  void theEmbeddableLibraryNeedsNothingButTheJdkAndALogger() {
    classes()
        .that()
        .resideInAnyPackage("dev.kron.scheduler", "dev.kron.scheduler.testkit")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "dev.kron..", "org.jspecify.annotations..", "org.slf4j..")
        .check(CLASSES);
  }

  @Test
  void whoEmbedsTheLibraryCarriesNothingOfTheDaemon() throws IOException {
    assertEquals(List.of("kron-cron", "slf4j-api"), Rooms.dependencies("kron-scheduler"));
    assertEquals(List.of(), Rooms.dependencies("kron-cron"));
    assertEquals(List.of(), Rooms.dependencies("kron-cluster"));
  }

  @Test
  void theDaemonStartsNoProcessBehindItsReapersBack() {
    noClasses()
        .that(areIn("daemon"))
        .or(areIn("process"))
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(ProcessBuilder.class)
        .orShould()
        .callMethod(Runtime.class, "exec", String[].class)
        .check(CLASSES);
  }

  private static DescribedPredicate<JavaClass> areCore() {
    return DescribedPredicate.describe(
        "are in core", type -> Rooms.CORE.stream().anyMatch(room -> Rooms.isIn(type, room)));
  }

  private static DescribedPredicate<JavaClass> areIn(String room) {
    return DescribedPredicate.describe("are in " + room, type -> Rooms.isIn(type, room));
  }

  private static DescribedPredicate<JavaAccess<?>> isWorldly() {
    return DescribedPredicate.describe(
        "asks a clock, a random source or the environment",
        access -> {
          String owner = access.getTargetOwner().getName();
          boolean now = owner.startsWith("java.time.") && access.getName().equals("now");
          return now || WORLDLY_METHODS.getOrDefault(owner, Set.of()).contains(access.getName());
        });
  }
}
