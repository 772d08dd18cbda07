package dev.kron.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Large records are put together by name: their constructors are called by their own file, which
 * has a builder where others need one, and by at most one class besides.
 */
class RecordsTest {
  private static final int MOST_COMPONENTS = 8;

  /** Records that several classes put together, and why. */
  private static final Map<String, String> EXCEPTIONS =
      Map.of(
          "dev.kron.scheduler.TaskState",
          "published: stores of other people make it of their columns, in this order");

  private static final Set<JavaConstructor> LARGE = new LinkedHashSet<>();

  static {
    for (JavaClass type : Rooms.classes()) {
      if (type.isRecord()) {
        type.getConstructors().stream()
            .filter(it -> it.getRawParameterTypes().size() > MOST_COMPONENTS)
            .forEach(LARGE::add);
      }
    }
  }

  @Test
  void aLargeRecordIsPutTogetherInOnePlace() {
    assertTrue(LARGE.size() > 10, "records were found");
    var found = new TreeSet<String>();
    for (JavaConstructor constructor : LARGE) {
      String name = constructor.getOwner().getFullName();
      Set<String> callers = callersElsewhere(constructor);
      if (callers.size() > 1 && !EXCEPTIONS.containsKey(name)) {
        found.add(name + " in " + callers);
      }
    }
    assertEquals(Set.of(), found, "give it a builder");
  }

  @Test
  void aLargeRecordHasOneConstructor() {
    var found = new TreeSet<String>();
    for (JavaConstructor constructor : LARGE) {
      JavaClass type = constructor.getOwner();
      if (type.getConstructors().size() > 1 && !EXCEPTIONS.containsKey(type.getFullName())) {
        found.add(type.getFullName());
      }
    }
    assertEquals(Set.of(), found, "what may be left out is told by a builder");
  }

  @Test
  void noExceptionIsNeededNoMore() {
    for (String name : EXCEPTIONS.keySet()) {
      assertTrue(
          LARGE.stream()
              .filter(it -> it.getOwner().getFullName().equals(name))
              .anyMatch(it -> callersElsewhere(it).size() > 1),
          name);
    }
  }

  private static Set<String> callersElsewhere(JavaConstructor constructor) {
    String own = topLevel(constructor.getOwner());
    var callers = new TreeSet<String>();
    for (JavaConstructorCall call : constructor.getCallsOfSelf()) {
      callers.add(topLevel(call.getOriginOwner()));
    }
    callers.remove(own);
    return callers;
  }

  private static String topLevel(JavaClass type) {
    String name = type.getFullName();
    int inner = name.indexOf('$');
    return inner < 0 ? name : name.substring(0, inner);
  }
}
