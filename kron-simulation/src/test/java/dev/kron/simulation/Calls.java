package dev.kron.simulation;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.util.List;

/** Takes calls out of bytecode. */
public final class Calls {
  private Calls() {}

  /** Takes the arguments of a call, and whom it is made to, from the stack. */
  public static void dropArguments(CodeBuilder builder, InvokeInstruction call) {
    List<ClassDesc> parameters = call.typeSymbol().parameterList().reversed();
    for (ClassDesc parameter : parameters) {
      pop(builder, TypeKind.from(parameter));
    }
    if (call.opcode() != Opcode.INVOKESTATIC) {
      builder.pop();
    }
  }

  /** The same, and puts a nothing of the right kind in place of the result. */
  public static void drop(CodeBuilder builder, InvokeInstruction call) {
    dropArguments(builder, call);
    switch (TypeKind.from(call.typeSymbol().returnType())) {
      case VOID -> {}
      case LONG -> builder.lconst_0();
      case REFERENCE -> builder.aconst_null();
      case INT, BOOLEAN, BYTE, CHAR, SHORT -> builder.iconst_0();
      case FLOAT -> builder.fconst_0();
      case DOUBLE -> builder.dconst_0();
    }
  }

  private static void pop(CodeBuilder builder, TypeKind kind) {
    if (kind.slotSize() == 2) {
      builder.pop2();
    } else {
      builder.pop();
    }
  }
}
