package dev.kron.simulation;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.InvokeInstruction;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * A deliberate bug: a change in the bytecode of one method of one of Kron's own classes.
 *
 * @param className with its package
 * @param change of the method's code; has to count what it changed
 */
record Mutation(
    String name, String className, String method, AtomicInteger hits, CodeTransform change) {
  byte[] apply(byte[] original) {
    ClassModel model = ClassFile.of().parse(original);
    Predicate<MethodModel> wanted = it -> it.methodName().equalsString(method);
    byte[] changed =
        ClassFile.of()
            .transformClass(model, ClassTransform.transformingMethodBodies(wanted, change));
    if (hits.get() == 0) {
      throw new IllegalStateException(name + ": nothing to change in " + className + "." + method);
    }
    return changed;
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

  /** Has a call answer a constant instead of being made. */
  static Mutation answering(
      String name, String className, String method, String called, int value) {
    var hits = new AtomicInteger();
    return new Mutation(
        name,
        className,
        method,
        hits,
        (builder, element) -> {
          if (element instanceof InvokeInstruction call && call.name().equalsString(called)) {
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
