package dev.kron.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Numbers look the same in every locale. Where the machine speaks Arabic, a number that is
 * formatted with %d by the default locale has digits that a state file, a krontab, a program that
 * reads JSON or the history of a seed must not have: write %s, or name {@code Locale.ROOT}.
 */
class LocaleTest {
  private static final Pattern NUMBER = Pattern.compile("%[-#+ 0,(]*\\d*(\\.\\d+)?[deEfgGtT]");

  @Test
  void noNumberIsFormattedByTheDefaultLocale() throws IOException {
    Set<String> wrong = new TreeSet<>();
    for (JavaClass type : Rooms.classes()) {
      try (InputStream in = type.getSource().orElseThrow().getUri().toURL().openStream()) {
        for (MethodModel method : ClassFile.of().parse(in.readAllBytes()).methods()) {
          if (holds(method, LocaleTest::formatsByDefault) && holds(method, LocaleTest::isNumber)) {
            wrong.add(type.getName() + "." + method.methodName().stringValue());
          }
        }
      }
    }
    assertEquals(Set.of(), wrong);
  }

  private static boolean holds(MethodModel method, Predicate<CodeElement> what) {
    return method.code().isPresent() && method.code().get().elementStream().anyMatch(what);
  }

  private static boolean formatsByDefault(CodeElement element) {
    return element instanceof InvokeInstruction call
        && Set.of("formatted", "format", "printf").contains(call.name().stringValue())
        && call.owner().asInternalName().startsWith("java/")
        && call.type().stringValue().contains("[Ljava/lang/Object;")
        && !call.type().stringValue().contains("Ljava/util/Locale;");
  }

  private static boolean isNumber(CodeElement element) {
    return element instanceof ConstantInstruction constant
        && constant.constantValue() instanceof String text
        && NUMBER.matcher(text).find();
  }
}
