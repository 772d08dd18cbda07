package dev.kron.simulation.mutants;

import java.util.Arrays;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Runs test classes in this JVM, up to the first test that fails; what that left is cleaned up. */
public final class RunTests {
  private RunTests() {}

  /** The last line printed names the test that failed; without one the exit code is 0. */
  public static void main(String... classes) {
    var cancellation = CancellationToken.create();
    var first = new FirstFailure(cancellation);
    var discovery =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(Arrays.stream(classes).map(DiscoverySelectors::selectClass).toList())
            .build();
    LauncherFactory.create()
        .execute(
            LauncherExecutionRequestBuilder.request(discovery)
                .listeners(first)
                .cancellationToken(cancellation)
                .build());
    if (!first.test.isEmpty()) {
      System.out.println("\n" + Verdict.MARK + first.test);
    }
    System.out.flush();
    Runtime.getRuntime().halt(first.test.isEmpty() ? 0 : 1); // whoever the bug left running
  }

  private static final class FirstFailure implements TestExecutionListener {
    private final CancellationToken cancellation;
    private volatile String test = "";

    FirstFailure(CancellationToken cancellation) {
      this.cancellation = cancellation;
    }

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
      if (result.getStatus() == TestExecutionResult.Status.FAILED && test.isEmpty()) {
        test = name(identifier);
        result.getThrowable().ifPresent(thrown -> thrown.printStackTrace(System.out));
        cancellation.cancel();
      }
    }

    private static String name(TestIdentifier identifier) {
      return identifier
          .getSource()
          .map(
              source ->
                  source instanceof MethodSource method
                      ? simple(method.getClassName()) + "." + method.getMethodName()
                      : identifier.getDisplayName())
          .orElse(identifier.getDisplayName());
    }

    private static String simple(String className) {
      return className.substring(className.lastIndexOf('.') + 1);
    }
  }
}
