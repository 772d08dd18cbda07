package dev.kron.simulation;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodBuilder;
import java.lang.classfile.MethodElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * A deliberate bug: a change in the bytecode of one method of one of Kron's own classes.
 *
 * @param className with its package
 * @param method its name, or name and descriptor where that is not enough
 * @param change of the method's code; has to count what it changed
 */
public record Mutation(
    String name, String className, String method, AtomicInteger hits, CodeTransform change) {
  private static final ClassDesc PLANTED = ClassDesc.of("dev.kron.simulation.Planted");

  /**
   * A class with bugs in it that sleep: each method that has some asks {@link Planted} which of its
   * bodies is meant.
   *
   * @param bugs of that class, each by the number that wakes it
   */
  static byte[] plant(byte[] original, Map<Integer, Mutation> bugs) {
    ClassModel model = ClassFile.of().parse(original);
    byte[] changed =
        ClassFile.of()
            .transformClass(
                model,
                (builder, element) -> {
                  if (element instanceof MethodModel method
                      && bugs.values().stream().anyMatch(it -> it.isOf(method))) {
                    plant(builder, model, method, bugs);
                  } else {
                    builder.with(element);
                  }
                });
    bugs.values().forEach(Mutation::mustHaveChangedSomething);
    return changed;
  }

  private boolean isOf(MethodModel candidate) {
    String name = candidate.methodName().stringValue();
    String full = name + candidate.methodType().stringValue();
    return (method.equals(name) || method.equals(full)) && candidate.code().isPresent();
  }

  private void mustHaveChangedSomething() {
    if (hits.get() == 0) {
      throw new IllegalStateException(name + ": nothing to change in " + className + "." + method);
    }
  }

  private static void plant(
      ClassBuilder builder, ClassModel owner, MethodModel method, Map<Integer, Mutation> bugs) {
    CodeModel code = method.code().orElseThrow();
    body(builder, method, 0, it -> it.transformCode(code, CodeTransform.ACCEPT_ALL));
    bugs.forEach(
        (number, bug) -> {
          if (bug.isOf(method)) {
            body(builder, method, number, it -> it.transformCode(code, bug.change));
          }
        });
    builder.withMethod(
        method.methodName(),
        method.methodType(),
        method.flags().flagsMask(),
        it -> {
          for (MethodElement element : method) {
            if (!(element instanceof CodeModel)) {
              it.with(element);
            }
          }
          it.withCode(
              choice -> {
                bugs.forEach(
                    (number, bug) -> {
                      if (bug.isOf(method)) {
                        choice
                            .getstatic(PLANTED, "number", ConstantDescs.CD_int)
                            .loadConstant(number)
                            .ifThen(Opcode.IF_ICMPEQ, then -> call(then, owner, method, number));
                      }
                    });
                call(choice, owner, method, 0);
              });
        });
  }

  private static void body(
      ClassBuilder builder, MethodModel method, int number, Consumer<MethodBuilder> code) {
    int kind = method.flags().flagsMask() & ClassFile.ACC_STATIC;
    builder.withMethod(
        method.methodName().stringValue() + "$" + number,
        method.methodTypeSymbol(),
        kind | ClassFile.ACC_PRIVATE | ClassFile.ACC_SYNTHETIC,
        code);
  }

  private static void call(CodeBuilder code, ClassModel owner, MethodModel method, int number) {
    String name = method.methodName().stringValue() + "$" + number;
    MethodTypeDesc type = method.methodTypeSymbol();
    boolean isStatic = method.flags().has(AccessFlag.STATIC);
    boolean isInterface = owner.flags().has(AccessFlag.INTERFACE);
    if (!isStatic) {
      code.aload(0);
    }
    for (int i = 0; i < type.parameterCount(); i++) {
      code.loadLocal(TypeKind.from(type.parameterType(i)), code.parameterSlot(i));
    }
    if (isStatic) {
      code.invokestatic(owner.thisClass().asSymbol(), name, type, isInterface);
    } else {
      code.invokespecial(owner.thisClass().asSymbol(), name, type, isInterface);
    }
    code.return_(TypeKind.from(type.returnType()));
  }

  /** Leaves a call out: what was to be handed to it is dropped, and nothing comes back. */
  static Mutation without(String name, String className, String method, String called) {
    var hits = new AtomicInteger();
    return new Mutation(
        name,
        className,
        method,
        hits,
        (builder, element) -> {
          if (element instanceof InvokeInstruction call && call.name().equalsString(called)) {
            hits.incrementAndGet();
            Calls.drop(builder, call);
          } else {
            builder.with(element);
          }
        });
  }

  /** Has a call that answers a number or a yes or no answer a constant instead of being made. */
  static Mutation answering(
      String name, String className, String method, String called, int value) {
    var hits = new AtomicInteger();
    return new Mutation(
        name,
        className,
        method,
        hits,
        (builder, element) -> {
          if (element instanceof InvokeInstruction call
              && call.name().equalsString(called)
              && TypeKind.from(call.typeSymbol().returnType()).asLoadable() == TypeKind.INT) {
            hits.incrementAndGet();
            Calls.dropArguments(builder, call);
            builder.loadConstant(value);
          } else {
            builder.with(element);
          }
        });
  }

  /** Replaces instructions, each for itself. */
  static Mutation replacing(
      String name,
      String className,
      String method,
      Predicate<CodeElement> which,
      CodeTransform by) {
    var hits = new AtomicInteger();
    return new Mutation(
        name,
        className,
        method,
        hits,
        (builder, element) -> {
          if (which.test(element)) {
            hits.incrementAndGet();
            by.accept(builder, element);
          } else {
            builder.with(element);
          }
        });
  }
}
