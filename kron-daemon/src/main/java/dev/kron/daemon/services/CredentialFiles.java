package dev.kron.daemon.services;

import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.CredentialProfile;
import dev.kron.config.VariableFile;
import dev.kron.service.ServiceSpec;
import java.nio.file.Path;
import java.util.List;

/** The profiles in {@code credentials/<profile>.env} beside the service's file. */
public final class CredentialFiles implements ServiceSecrets {
  private final ConfigFiles.Settings settings;

  public CredentialFiles(boolean followSymlinks) {
    this.settings = ConfigFiles.Settings.of(Account.current()).withFollowLinks(followSymlinks);
  }

  @Override
  public List<String> read(ServiceSpec spec, String profile) throws UnusableException {
    String problem = CredentialProfile.nameProblem(profile);
    if (problem != null) {
      throw new UnusableException(problem);
    }
    VariableFile read =
        CredentialProfile.read(CredentialProfile.path(Path.of(spec.file()), profile), settings);
    if (!read.isValid()) {
      throw new UnusableException(read.diagnostics().getFirst().toString());
    }
    return read.variables();
  }
}
