package dev.kron.daemon;

import dev.kron.config.ConfigFiles;
import dev.kron.config.CredentialProfile;
import dev.kron.config.VariableFile;
import dev.kron.daemon.jobs.VariableSource;
import dev.kron.daemon.runs.BoundedReads;
import dev.kron.daemon.runs.Launches;
import dev.kron.job.JobSpec;
import dev.kron.process.Stage;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/** The envfile that an entry names, and its profile in {@code credentials} beside its krontab. */
final class JobVariableFiles implements VariableSource {
  private final ConfigFiles.Settings settings;
  private final BoundedReads reads;

  JobVariableFiles(ConfigFiles.Settings settings, BoundedReads reads) {
    this.settings = settings;
    this.reads = reads;
  }

  @Override
  public Added read(JobSpec spec) throws Launches.Refused {
    return new Added(envfile(spec), profile(spec));
  }

  private List<String> envfile(JobSpec spec) throws Launches.Refused {
    String envfile = spec.envfile();
    return envfile == null
        ? List.of()
        : variables(Path.of(envfile), () -> VariableFile.envfile(envfile, settings));
  }

  private List<String> profile(JobSpec spec) throws Launches.Refused {
    Path path = CredentialProfile.path(spec);
    return path == null ? List.of() : variables(path, () -> CredentialProfile.read(path, settings));
  }

  private List<String> variables(Path path, Supplier<VariableFile> read) throws Launches.Refused {
    try {
      VariableFile file = reads.read(path, read);
      if (!file.isValid()) {
        throw new Launches.Refused(Stage.ENV, file.diagnostics().getFirst().toString());
      }
      return file.variables();
    } catch (BoundedReads.UnansweredException e) {
      throw new Launches.Refused(Stage.ENV, String.valueOf(e.getMessage()));
    }
  }
}
