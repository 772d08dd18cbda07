package dev.kron.cli.lint;

import dev.kron.config.EntryInspector.Remarks;
import dev.kron.job.JobSpec;
import dev.kron.job.JobSpec.Output;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Commands and directories that are not there. */
final class Paths {
  /** As execvp has it where PATH is not set. */
  private static final String DEFAULT_SEARCH = "/bin:/usr/bin";

  private static final Pattern SHELL = Pattern.compile("(/bin/|/usr/bin/)?(sh|bash|dash|ash|zsh)");

  private static final Pattern MAIL =
      Pattern.compile("(?:^|[|;&(]\\s*)\\s*((?:/[\\w./-]+/)?(?:mailx?|sendmail|s-nail))(?=\\s|$)");

  private final String searchPath;
  private final Map<String, String> known;

  Paths(@Nullable String searchPath, Map<String, String> known) {
    this.searchPath = searchPath == null ? DEFAULT_SEARCH : searchPath;
    this.known = known;
  }

  void check(JobSpec job, Remarks remarks) {
    if (!job.shell()) {
      add(job, "command", " ", commandProblem(job.command(), job.cwd()), remarks);
    }
    if (!job.onFailure().isEmpty()) {
      add(job, "onfailure", " ", commandProblem(job.onFailure(), job.cwd()), remarks);
    }
    mailProblem("command", job, job.shell() ? job.command().getFirst() : "", remarks);
    mailProblem("onfailure", job, shellText(job.onFailure()), remarks);
    String directory = job.cwd();
    if (directory != null) {
      add(job, "cwd", " ", directoryProblem(directory), remarks);
    }
    add(job, "stdout", "=file: ", outputProblem(job.stdout(), directory), remarks);
    add(job, "stderr", "=file: ", outputProblem(job.stderr(), directory), remarks);
  }

  /** The text of {@code sh -c TEXT}; empty for anything else. */
  private static String shellText(List<String> words) {
    boolean shell =
        words.size() >= 3 && SHELL.matcher(words.get(0)).matches() && words.get(1).equals("-c");
    return shell ? words.get(2) : "";
  }

  /** A shell's text is not understood here; only that it calls a program that sends mail. */
  private void mailProblem(String field, JobSpec job, String text, Remarks remarks) {
    if (text.indexOf("mail") < 0) {
      return;
    }
    Matcher mail = MAIL.matcher(text);
    if (mail.find()) {
      add(job, field, ": ", commandProblem(List.of(mail.group(1)), job.cwd()), remarks);
    }
  }

  private static void add(
      JobSpec job, String field, String between, String problem, Remarks remarks) {
    if (!problem.isEmpty()) {
      remarks.warn(field, Surprises.about(job, field + between + problem));
    }
  }

  /** The problem with a directory; empty if there is none. */
  String directory(String path) {
    return directoryProblem(path);
  }

  /** The problem with a program; empty if there is none. */
  String commandProblem(List<String> words, @Nullable String cwd) {
    String program = words.getFirst();
    if (program.startsWith("/")) {
      return fileProblem(program);
    }
    if (program.indexOf('/') < 0) {
      return searchProblem(program);
    }
    return cwd == null ? "" : fileProblem(cwd + "/" + program);
  }

  private String outputProblem(Output output, @Nullable String cwd) {
    if (!(output instanceof Output.File(String path))) {
      return "";
    }
    int fields = path.indexOf('%');
    int slash = path.lastIndexOf('/', fields < 0 ? path.length() : fields);
    if (slash < 0 || (cwd == null && !path.startsWith("/"))) {
      return "";
    }
    String directory = slash == 0 ? "/" : path.substring(0, slash);
    return directoryProblem(directory.startsWith("/") ? directory : cwd + "/" + directory);
  }

  private String fileProblem(String path) {
    String problem = known.get(path);
    if (problem == null) {
      problem = look(path);
      known.put(path, problem);
    }
    return problem;
  }

  private static String look(String text) {
    Path path = path(text);
    if (path == null || !Files.exists(path)) {
      return text + " does not exist";
    }
    if (Files.isDirectory(path)) {
      return text + " is a directory";
    }
    return Files.isExecutable(path) ? "" : text + " is not executable";
  }

  private String searchProblem(String word) {
    String problem = known.get(word);
    if (problem == null) {
      problem = search(word) ? "" : word + " is not found on the PATH of this shell";
      known.put(word, problem);
    }
    return problem;
  }

  private boolean search(String word) {
    for (String directory : searchPath.split(":")) {
      Path path = path((directory.isEmpty() ? "." : directory) + "/" + word);
      if (path != null && Files.isRegularFile(path) && Files.isExecutable(path)) {
        return true;
      }
    }
    return false;
  }

  private String directoryProblem(String text) {
    String key = text + "/";
    String problem = known.get(key);
    if (problem == null) {
      Path path = path(text);
      problem =
          path != null && Files.isDirectory(path)
              ? ""
              : "directory "
                  + text
                  + (path != null && Files.exists(path) ? " is a file" : " does not exist");
      known.put(key, problem);
    }
    return problem;
  }

  private static @Nullable Path path(String text) {
    try {
      return Path.of(text);
    } catch (InvalidPathException e) {
      return null;
    }
  }
}
