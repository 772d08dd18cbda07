package dev.kron.simulation;

import dev.kron.simulation.MutationTest.Case;
import java.lang.classfile.CodeElement;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.function.Predicate;

/** Deliberate bugs in limits, checks and wishes of services. */
final class ServiceBugs {
  private static final String MACHINE = "dev.kron.service.ServiceMachine";
  private static final String DRAFT = "dev.kron.service.InstanceDraft";
  private static final String CHECKS = "dev.kron.daemon.services.Checks";

  private ServiceBugs() {}

  static List<Case> all() {
    return List.of(
        new Case(
            Mutation.without(
                "a start that takes too long is not ended", MACHINE, "startTimeout", "fail"),
            40),
        new Case(
            brief("a start is given next to no time", DRAFT, "spawned", "startTimeoutMillis"), 8),
        new Case(
            brief(
                "KILL comes right after the stop signal", DRAFT, "stopMillis", "stopTimeoutMillis"),
            48),
        new Case(
            Mutation.answering(
                "one check that fails is enough", MACHINE, "healthCheckFailed", "retries", 1),
            48),
        new Case(
            Mutation.without(
                "checks that fail have no consequence", MACHINE, "healthCheckFailed", "fail"),
            48),
        new Case(brief("a check is given next to no time", CHECKS, "execute", "timeoutMillis"), 8),
        new Case(
            Mutation.answering(
                "a report that nobody heard gets the service killed",
                MACHINE,
                "startTimeout",
                "mayHaveSignalled",
                0),
            512),
        new Case(
            Mutation.without("a report has no consequence", MACHINE, "readySignalled", "ready"),
            24),
        new Case(
            Mutation.answering(
                "a service is up before it reports", DRAFT, "spawned", "awaitsSignal", 0),
            24),
        new Case(withoutEnvironment(), 8));
  }

  private static Mutation withoutEnvironment() {
    ClassDesc list = ClassDesc.of("java.util.List");
    return Mutation.replacing(
        "the environment of a service's file is left out",
        "dev.kron.daemon.services.ServiceLaunches",
        "launch",
        it ->
            it instanceof InvokeInstruction call
                && call.name().equalsString("environment")
                && call.typeSymbol().parameterCount() == 0,
        (builder, element) ->
            builder.pop().invokestatic(list, "of", MethodTypeDesc.of(list), true));
  }

  /** A time that is asked for is a tenth of a second. */
  private static Mutation brief(String name, String className, String method, String called) {
    Predicate<CodeElement> call =
        it -> it instanceof InvokeInstruction invoke && invoke.name().equalsString(called);
    return Mutation.replacing(
        name, className, method, call, (builder, element) -> builder.pop().loadConstant(100L));
  }
}
