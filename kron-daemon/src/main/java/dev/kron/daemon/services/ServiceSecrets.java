package dev.kron.daemon.services;

import dev.kron.service.ServiceSpec;
import java.util.List;

/** The source of credentials; they are read when a process is started. */
public interface ServiceSecrets {
  /**
   * @throws UnusableException where there is no such profile, or it may not be used
   */
  List<String> read(ServiceSpec spec, String profile) throws UnusableException;

  /** The profile cannot be used. The message says why, without secrets. */
  final class UnusableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnusableException(String reason) {
      super(reason);
    }
  }
}
