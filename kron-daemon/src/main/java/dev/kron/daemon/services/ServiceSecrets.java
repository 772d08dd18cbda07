package dev.kron.daemon.services;

import dev.kron.service.ServiceSpec;
import java.util.List;

/** Where credentials are read, at the moment they are needed. */
public interface ServiceSecrets {
  /**
   * @throws UnusableException where there is no such profile, or it may not be used
   */
  List<String> read(ServiceSpec spec, String profile) throws UnusableException;

  /** The profile cannot be used; says why, and nothing that is secret. */
  final class UnusableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnusableException(String reason) {
      super(reason);
    }
  }
}
