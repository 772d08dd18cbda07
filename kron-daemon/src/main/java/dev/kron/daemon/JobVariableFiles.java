package dev.kron.daemon;

import dev.kron.config.ConfigFiles;
import dev.kron.config.CredentialProfile;
import dev.kron.config.VariableFile;
import dev.kron.daemon.jobs.VariableSource;
import dev.kron.daemon.runs.Launches;
import dev.kron.job.JobSpec;
import dev.kron.process.Stage;
import java.nio.file.Path;
import java.util.List;

/** The envfile that an entry names, and its profile in {@code credentials} beside its krontab. */
final class JobVariableFiles implements VariableSource {
  private final ConfigFiles.Settings settings;

  JobVariableFiles(ConfigFiles.Settings settings) {
    this.settings = settings;
  }

  @Override
  public Added read(JobSpec spec) throws Launches.Refused {
    String envfile = spec.envfile();
    String profile = spec.profile();
    return new Added(
        envfile == null ? List.of() : variables(VariableFile.envfile(envfile, settings)),
        profile == null
            ? List.of()
            : variables(
                CredentialProfile.read(
                    CredentialProfile.path(Path.of(spec.file()), profile), settings)));
  }

  private static List<String> variables(VariableFile file) throws Launches.Refused {
    if (!file.isValid()) {
      throw new Launches.Refused(Stage.ENV, file.diagnostics().getFirst().toString());
    }
    return file.variables();
  }
}
