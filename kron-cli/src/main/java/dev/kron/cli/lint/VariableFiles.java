package dev.kron.cli.lint;

import dev.kron.config.ConfigFiles;
import dev.kron.config.CredentialProfile;
import dev.kron.config.EntryInspector.Remarks;
import dev.kron.config.VariableFile;
import dev.kron.job.JobSpec;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Envfiles and profiles of jobs that could not be used today; each file is read once. */
final class VariableFiles {
  private final ConfigFiles.Settings settings;
  private final Map<String, VariableFile> read = new HashMap<>();

  VariableFiles(ConfigFiles.Settings settings) {
    this.settings = settings;
  }

  void check(JobSpec job, Remarks remarks) {
    String envfile = job.envfile();
    if (envfile != null) {
      warn(job, "envfile", envfile(envfile), remarks);
    }
    Path profile = CredentialProfile.path(job);
    if (profile != null) {
      warn(job, "profile", profile(profile), remarks);
    }
  }

  private VariableFile envfile(String file) {
    return read.computeIfAbsent(file, path -> VariableFile.envfile(path, settings));
  }

  private VariableFile profile(Path file) {
    return read.computeIfAbsent(file.toString(), _ -> CredentialProfile.read(file, settings));
  }

  private static void warn(JobSpec job, String field, VariableFile file, Remarks remarks) {
    if (!file.isValid()) {
      remarks.warn(
          field,
          Surprises.about(job, "it cannot start: " + file.diagnostics().getFirst().toString()));
    }
  }
}
