package dev.kron.daemon.api;

import org.eclipse.jetty.server.Request;

/** A guard finds out who sends a request and what they may do. */
@FunctionalInterface
public interface Guard {
  /**
   * The sender of a request.
   *
   * @throws ApiProblem if the request does not prove who sent it
   */
  Visitor visitor(Request request);
}
