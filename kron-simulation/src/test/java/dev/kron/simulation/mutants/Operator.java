package dev.kron.simulation.mutants;

import dev.kron.simulation.Calls;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** A kind of bug: what is made of one instruction. */
enum Operator {
  /** A condition means its opposite. */
  NEGATE("the condition is negated") {
    @Override
    boolean fits(Place place) {
      return NEGATED.containsKey(place.it().opcode());
    }

    @Override
    void replace(CodeBuilder builder, Place place) {
      jump(builder, place, NEGATED);
    }
  },

  /** A comparison includes its bound, or does so no more. */
  BOUNDARY("the bound is moved") {
    @Override
    boolean fits(Place place) {
      return MOVED.containsKey(place.it().opcode());
    }

    @Override
    void replace(CodeBuilder builder, Place place) {
      jump(builder, place, MOVED);
    }
  },

  /** A call whose result nobody uses is not made. */
  NO_CALL("the call is left out") {
    @Override
    boolean fits(Place place) {
      return place.it() instanceof InvokeInstruction call
          && !UNCALLED.contains(call.name().stringValue())
          && !call.owner().asInternalName().equals("dev/kron/daemon/log/EventLog")
          && (TypeKind.from(call.typeSymbol().returnType()) == TypeKind.VOID || place.isDropped());
    }

    @Override
    void replace(CodeBuilder builder, Place place) {
      Calls.drop(builder, (InvokeInstruction) place.it());
    }
  },

  /** A method that answers yes or no answers yes. */
  TRUE("true is returned") {
    @Override
    boolean fits(Place place) {
      return place.returns(TypeKind.BOOLEAN) && !place.always(Opcode.ICONST_1);
    }

    @Override
    void replace(CodeBuilder builder, Place place) {
      builder.pop().iconst_1().ireturn();
    }
  },

  /** A method that answers yes or no answers no. */
  FALSE("false is returned") {
    @Override
    boolean fits(Place place) {
      return place.returns(TypeKind.BOOLEAN) && !place.always(Opcode.ICONST_0);
    }

    @Override
    void replace(CodeBuilder builder, Place place) {
      builder.pop().iconst_0().ireturn();
    }
  },

  /** A number that is returned is 0. */
  ZERO("0 is returned") {
    @Override
    boolean fits(Place place) {
      return (place.returns(TypeKind.INT) && !place.always(Opcode.ICONST_0))
          || (place.returns(TypeKind.LONG) && !place.always(Opcode.LCONST_0));
    }

    @Override
    void replace(CodeBuilder builder, Place place) {
      if (place.returns(TypeKind.INT)) {
        builder.pop().iconst_0().ireturn();
      } else {
        builder.pop2().lconst_0().lreturn();
      }
    }
  },

  /** A thing that is returned is nothing: empty where its type has that, else null. */
  NOTHING("nothing is returned") {
    @Override
    boolean fits(Place place) {
      return place.returns(TypeKind.REFERENCE) && !place.always(Opcode.ACONST_NULL);
    }

    @Override
    void replace(CodeBuilder builder, Place place) {
      ClassDesc type = place.type().returnType();
      builder.pop();
      if (type.equals(ConstantDescs.CD_String)) {
        builder.loadConstant("");
      } else if (type.equals(ConstantDescs.CD_List)
          || type.equals(ConstantDescs.CD_Set)
          || type.equals(ConstantDescs.CD_Map)) {
        builder.invokestatic(type, "of", MethodTypeDesc.of(type), true);
      } else if (type.equals(OPTIONAL)) {
        builder.invokestatic(type, "empty", MethodTypeDesc.of(type));
      } else {
        builder.aconst_null();
      }
      builder.areturn();
    }
  },

  /** A number is one more or less; what may be a truth value is the other one. */
  CONSTANT("the number is off by one") {
    @Override
    boolean fits(Place place) {
      return place.it() instanceof ConstantInstruction constant
          && (constant.constantValue() instanceof Integer
              || constant.constantValue() instanceof Long)
          && !place.isOfTheCompiler();
    }

    @Override
    void replace(CodeBuilder builder, Place place) {
      Object value = ((ConstantInstruction) place.it()).constantValue();
      if (value instanceof Integer number) {
        builder.loadConstant((int) other(number, place));
      } else {
        builder.loadConstant(other((Long) value, place));
      }
    }

    private long other(long number, Place place) {
      return number == 0 || number == 1
          ? 1 - number
          : place.index() % 2 == 0 ? number + 1 : number - 1;
    }
  },

  /** Plus is minus, times is divided by, and is or; and the other way round. */
  ARITHMETIC("another operation") {
    @Override
    boolean fits(Place place) {
      return COMPUTED.containsKey(place.it().opcode())
          || place.it() instanceof IncrementInstruction;
    }

    @Override
    void replace(CodeBuilder builder, Place place) {
      if (place.it() instanceof IncrementInstruction increment) {
        builder.iinc(increment.slot(), -increment.constant());
      } else {
        builder.with(
            OperatorInstruction.of(Objects.requireNonNull(COMPUTED.get(place.it().opcode()))));
      }
    }
  },

  /** A field keeps its value; not in constructors, where it would have none. */
  NO_ASSIGNMENT("the field is not set") {
    @Override
    boolean fits(Place place) {
      return PUT.contains(place.it().opcode()) && !place.method().startsWith("<");
    }

    @Override
    void replace(CodeBuilder builder, Place place) {
      var field = (FieldInstruction) place.it();
      if (TypeKind.from(field.typeSymbol()).slotSize() == 2) {
        builder.pop2();
      } else {
        builder.pop();
      }
      if (field.opcode() == Opcode.PUTFIELD) {
        builder.pop();
      }
    }
  };

  private static final ClassDesc OPTIONAL = ClassDesc.of("java.util.Optional");
  private static final Set<Opcode> PUT = Set.of(Opcode.PUTFIELD, Opcode.PUTSTATIC);

  /** What the compiler puts into code that nobody wrote, or what cannot be left out. */
  private static final Set<String> UNCALLED = Set.of("<init>", "addSuppressed", "requireNonNull");

  private static final Map<Opcode, Opcode> NEGATED =
      Map.ofEntries(
          Map.entry(Opcode.IFEQ, Opcode.IFNE),
          Map.entry(Opcode.IFNE, Opcode.IFEQ),
          Map.entry(Opcode.IFLT, Opcode.IFGE),
          Map.entry(Opcode.IFGE, Opcode.IFLT),
          Map.entry(Opcode.IFGT, Opcode.IFLE),
          Map.entry(Opcode.IFLE, Opcode.IFGT),
          Map.entry(Opcode.IFNULL, Opcode.IFNONNULL),
          Map.entry(Opcode.IFNONNULL, Opcode.IFNULL),
          Map.entry(Opcode.IF_ICMPEQ, Opcode.IF_ICMPNE),
          Map.entry(Opcode.IF_ICMPNE, Opcode.IF_ICMPEQ),
          Map.entry(Opcode.IF_ICMPLT, Opcode.IF_ICMPGE),
          Map.entry(Opcode.IF_ICMPGE, Opcode.IF_ICMPLT),
          Map.entry(Opcode.IF_ICMPGT, Opcode.IF_ICMPLE),
          Map.entry(Opcode.IF_ICMPLE, Opcode.IF_ICMPGT),
          Map.entry(Opcode.IF_ACMPEQ, Opcode.IF_ACMPNE),
          Map.entry(Opcode.IF_ACMPNE, Opcode.IF_ACMPEQ));

  private static final Map<Opcode, Opcode> MOVED =
      Map.of(
          Opcode.IFLT, Opcode.IFLE,
          Opcode.IFLE, Opcode.IFLT,
          Opcode.IFGT, Opcode.IFGE,
          Opcode.IFGE, Opcode.IFGT,
          Opcode.IF_ICMPLT, Opcode.IF_ICMPLE,
          Opcode.IF_ICMPLE, Opcode.IF_ICMPLT,
          Opcode.IF_ICMPGT, Opcode.IF_ICMPGE,
          Opcode.IF_ICMPGE, Opcode.IF_ICMPGT);

  private static final Map<Opcode, Opcode> COMPUTED =
      Map.ofEntries(
          Map.entry(Opcode.IADD, Opcode.ISUB),
          Map.entry(Opcode.ISUB, Opcode.IADD),
          Map.entry(Opcode.LADD, Opcode.LSUB),
          Map.entry(Opcode.LSUB, Opcode.LADD),
          Map.entry(Opcode.IMUL, Opcode.IDIV),
          Map.entry(Opcode.IDIV, Opcode.IMUL),
          Map.entry(Opcode.LMUL, Opcode.LDIV),
          Map.entry(Opcode.LDIV, Opcode.LMUL),
          Map.entry(Opcode.IREM, Opcode.IMUL),
          Map.entry(Opcode.LREM, Opcode.LMUL),
          Map.entry(Opcode.IAND, Opcode.IOR),
          Map.entry(Opcode.IOR, Opcode.IAND),
          Map.entry(Opcode.LAND, Opcode.LOR),
          Map.entry(Opcode.LOR, Opcode.LAND));

  private final String words;

  Operator(String words) {
    this.words = words;
  }

  /** What it does, for a table. */
  String words() {
    return words;
  }

  abstract boolean fits(Place place);

  /** Writes what takes the place of the instruction. */
  abstract void replace(CodeBuilder builder, Place place);

  private static void jump(CodeBuilder builder, Place place, Map<Opcode, Opcode> other) {
    var jump = (BranchInstruction) place.it();
    builder.branch(Objects.requireNonNull(other.get(jump.opcode())), jump.target());
  }

  /** An instruction where it stands. */
  record Place(String method, MethodTypeDesc type, List<Instruction> code, int index) {
    Instruction it() {
      return code.get(index);
    }

    /** Nothing but this constant comes here; where one of two does, a jump is before the second. */
    boolean always(Opcode constant) {
      return follows(constant) && (index < 2 || code.get(index - 2).opcode() != Opcode.GOTO);
    }

    private boolean follows(Opcode opcode) {
      return index > 0 && code.get(index - 1).opcode() == opcode;
    }

    private boolean precedes(Opcode opcode) {
      return index + 1 < code.size() && code.get(index + 1).opcode() == opcode;
    }

    boolean isDropped() {
      return precedes(Opcode.POP) || precedes(Opcode.POP2);
    }

    boolean returns(TypeKind kind) {
      return it() instanceof ReturnInstruction && TypeKind.from(type.returnType()) == kind;
    }

    /** Sizes and places of arrays that are listed, and where a switch over types begins. */
    boolean isOfTheCompiler() {
      return follows(Opcode.DUP)
          || precedes(Opcode.ANEWARRAY)
          || precedes(Opcode.NEWARRAY)
          || code.subList(index, Math.min(code.size(), index + 5)).stream()
              .anyMatch(next -> next.opcode() == Opcode.INVOKEDYNAMIC && isSwitch(next));
    }

    private static boolean isSwitch(Instruction instruction) {
      return instruction instanceof InvokeDynamicInstruction call
          && call.name().stringValue().endsWith("Switch");
    }
  }
}
