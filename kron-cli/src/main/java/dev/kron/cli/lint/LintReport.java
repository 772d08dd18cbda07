package dev.kron.cli.lint;

import dev.kron.config.Diagnostic;
import java.io.IOException;
import java.util.List;

/** Where findings go, file by file, as soon as they are known. */
public sealed interface LintReport permits LintJson, LintText {
  void begin() throws IOException;

  /**
   * One file.
   *
   * @param findings in the order of the file
   */
  void file(String file, boolean valid, int jobs, int services, List<Diagnostic> findings)
      throws IOException;

  /** A file that is not read. */
  void passedOver(Diagnostic finding) throws IOException;

  void end() throws IOException;
}
