package dev.kron.daemon.api;

import org.eclipse.jetty.server.Request;

/** Says who somebody is and what they may do. */
@FunctionalInterface
public interface Guard {
  /**
   * Who sent a request.
   *
   * @throws ApiProblem where that is not told, or told wrongly
   */
  Visitor visitor(Request request);
}
