package dev.kron.daemon.services;

import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.CredentialProfile;
import dev.kron.config.VariableFile;
import dev.kron.daemon.runs.BoundedReads;
import dev.kron.service.ServiceSpec;
import java.nio.file.Path;
import java.util.List;

/** The profiles in {@code credentials/<profile>.env} beside the service's file. */
public final class CredentialFiles implements ServiceSecrets {
  private final ConfigFiles.Settings settings;
  private final BoundedReads reads;

  public CredentialFiles(boolean followSymlinks, BoundedReads reads) {
    this.reads = reads;
    this.settings = ConfigFiles.Settings.of(Account.current()).withFollowLinks(followSymlinks);
  }

  @Override
  public List<String> read(ServiceSpec spec, String profile) throws UnusableException {
    String problem = CredentialProfile.nameProblem(profile);
    if (problem != null) {
      throw new UnusableException(problem);
    }
    Path path = CredentialProfile.path(Path.of(spec.file()), profile);
    try {
      VariableFile read = reads.read(path, () -> CredentialProfile.read(path, settings));
      if (!read.isValid()) {
        throw new UnusableException(read.diagnostics().getFirst().toString());
      }
      return read.variables();
    } catch (BoundedReads.UnansweredException e) {
      throw new UnusableException(String.valueOf(e.getMessage()));
    }
  }
}
