package dev.kron.simulation.mutants;

import dev.kron.simulation.Mutation;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.LineNumber;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One bug that could be planted.
 *
 * @param className with its package
 * @param type the method's, as a descriptor
 * @param index of the instruction among those of the method
 * @param line of the source
 */
record Mutant(
    String className, String method, String type, int index, int line, Operator operator) {
  private static final Set<String> TEXT = Set.of("toString");
  private static final Set<String> OF_RECORDS = Set.of("equals", "hashCode");
  private static final Set<String> OF_ENUMS = Set.of("values", "valueOf", "$values", "<clinit>");

  /** All that fit into a class. */
  static List<Mutant> in(byte[] bytes) {
    ClassModel model = ClassFile.of().parse(bytes);
    String name = model.thisClass().asInternalName().replace('/', '.');
    List<Mutant> found = new ArrayList<>();
    if (model.flags().has(AccessFlag.SYNTHETIC)) {
      return found;
    }
    boolean isRecord = extendsClass(model, "java/lang/Record");
    boolean isEnum = extendsClass(model, "java/lang/Enum");
    for (MethodModel method : model.methods()) {
      String called = method.methodName().stringValue();
      if (method.flags().has(AccessFlag.BRIDGE)
          || TEXT.contains(called)
          || (isRecord && (OF_RECORDS.contains(called) || isAccessor(model, method)))
          || (isEnum && OF_ENUMS.contains(called))) {
        continue;
      }
      method.code().ifPresent(code -> collect(name, method, code, found));
    }
    return found;
  }

  private static boolean extendsClass(ClassModel model, String name) {
    return model.superclass().map(it -> it.asInternalName().equals(name)).orElse(false);
  }

  /** Nobody wrote it: it hands out a component. */
  private static boolean isAccessor(ClassModel model, MethodModel method) {
    return method.methodTypeSymbol().parameterCount() == 0
        && model.fields().stream()
            .anyMatch(field -> field.fieldName().equalsString(method.methodName().stringValue()));
  }

  private static void collect(
      String className, MethodModel method, CodeModel code, List<Mutant> found) {
    List<Instruction> instructions = instructions(code);
    int line = 0;
    int index = 0;
    for (CodeElement element : code) {
      if (element instanceof LineNumber number) {
        line = number.line();
      } else if (element instanceof Instruction) {
        var place = place(method, instructions, index);
        for (Operator operator : Operator.values()) {
          if (operator.fits(place)) {
            found.add(
                new Mutant(
                    className,
                    place.method(),
                    method.methodType().stringValue(),
                    index,
                    line,
                    operator));
          }
        }
        index++;
      }
    }
  }

  private static List<Instruction> instructions(CodeModel code) {
    return code.elementStream()
        .filter(Instruction.class::isInstance)
        .map(Instruction.class::cast)
        .toList();
  }

  private static Operator.Place place(MethodModel method, List<Instruction> code, int index) {
    return new Operator.Place(
        method.methodName().stringValue(),
        MethodTypeDesc.ofDescriptor(method.methodType().stringValue()),
        code,
        index);
  }

  /** The same bug, that can sleep beside others. */
  Mutation asleep() {
    var hits = new AtomicInteger();
    return new Mutation(
        toString(),
        className,
        method + type,
        hits,
        CodeTransform.ofStateful(
            () -> {
              hits.incrementAndGet();
              return change();
            }));
  }

  /** The class with the bug in it. */
  byte[] plantedIn(byte[] bytes) {
    ClassFile classFile = ClassFile.of();
    return classFile.transformClass(
        classFile.parse(bytes),
        ClassTransform.transformingMethodBodies(
            it -> it.methodName().equalsString(method) && it.methodType().equalsString(type),
            CodeTransform.ofStateful(this::change)));
  }

  private CodeTransform change() {
    List<Instruction> seen = new ArrayList<>();
    return (builder, element) -> {
      if (!(element instanceof Instruction instruction)) {
        builder.with(element);
        return;
      }
      seen.add(instruction);
      if (seen.size() - 1 == index) {
        operator.replace(
            builder, new Operator.Place(method, MethodTypeDesc.ofDescriptor(type), seen, index));
      } else {
        builder.with(element);
      }
    };
  }

  /** Without which two overloads would look the same. */
  String methodId() {
    return className + "." + method + type;
  }

  @Override
  public String toString() {
    String simple = className.substring(className.lastIndexOf('.') + 1);
    return simple + "." + method + ", line " + line + ": " + operator.words();
  }
}
