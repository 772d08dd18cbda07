package dev.kron.cli;

import static dev.kron.cli.Call.kron;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionCommandTest {
  @TempDir Path directory;

  private String shell(String shell, String script) throws Exception {
    Path file = Files.writeString(directory.resolve("script"), script);
    return output(shell, file.toString());
  }

  private String output(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertTrue(process.waitFor(20, TimeUnit.SECONDS));
    assertEquals(0, process.exitValue(), text);
    return text;
  }

  /** What a real bash offers for a line that was typed so far. */
  private List<String> offered(String... words) throws Exception {
    StringBuilder script = new StringBuilder(kron("completion", "bash").out());
    script.append("COMP_WORDS=(");
    for (String word : words) {
      script.append('\'').append(word).append("' ");
    }
    script.append(")\nCOMP_CWORD=").append(words.length - 1);
    script.append("\n_kron\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    return shell("bash", script.toString()).lines().filter(line -> !line.isEmpty()).toList();
  }

  @Test
  void completesCommandsInBash() throws Exception {
    assertEquals(List.of("version"), offered("kron", "ver"));
    assertEquals(List.of("--help", "--version"), offered("kron", "--"));
  }

  @Test
  void completesTheWordsOfAnOperand() throws Exception {
    assertEquals(List.of("bash", "zsh", "fish"), offered("kron", "completion", ""));
    assertEquals(List.of("--help", "--names"), offered("kron", "completion", "--"));
  }

  @Test
  void completesAWordAndThenFiles() throws Exception {
    Files.writeString(directory.resolve("tab"), "");
    assertEquals(List.of("crontab"), offered("kron", "import", ""));
    assertEquals(List.of("tab"), offered("kron", "import", "crontab", "t"));
  }

  /** The names come from a program called kron; here it is a script. */
  @Test
  void completesNamesThatTheDaemonKnows() throws Exception {
    String asked =
        new Call().online().run("completion", "bash").out()
            + "kron() { [ \"$*\" = 'completion --names jobs' ] && echo backup report; }\n"
            + "COMP_WORDS=(kron trigger b)\nCOMP_CWORD=2\n_kron\necho \"${COMPREPLY[@]}\"\n";
    assertEquals("backup\n", shell("bash", asked));
  }

  @Test
  void completesAServiceAndThenItsProfile() throws Exception {
    String script =
        new Call().online().run("completion", "bash").out()
            + "kron() { echo \"$3-one\"; }\n"
            + "COMP_WORDS=(kron credentials b)\n"
            + "COMP_CWORD=2\n"
            + "_kron\n"
            + "echo \"${COMPREPLY[@]}\"\n"
            + "COMP_WORDS=(kron credentials bind s)\n"
            + "COMP_CWORD=3\n"
            + "_kron\n"
            + "echo \"${COMPREPLY[@]}\"\n"
            + "COMP_WORDS=(kron credentials bind web p)\n"
            + "COMP_CWORD=4\n"
            + "_kron\n"
            + "echo \"${COMPREPLY[@]}\"\n"
            + "COMP_WORDS=(kron logs x --run r)\n"
            + "COMP_CWORD=4\n"
            + "_kron\n"
            + "echo \"${COMPREPLY[@]}\"\n";
    assertEquals("bind\nservices-one\nprofiles-one\nruns-one\n", shell("bash", script));
    String fish = new Call().online().run("completion", "fish").out();
    assertTrue(
        fish.contains(
            "from credentials' -n 'test (count (commandline -opc)) -eq 4' -a '(kron completion"
                + " --names profiles 2>/dev/null)'"),
        fish);
    String zsh = new Call().online().run("completion", "zsh").out();
    assertTrue(zsh.contains("kron completion --names profiles 2>/dev/null"), zsh);
  }

  @Test
  void completesKrondAsKronRun() throws Exception {
    String script =
        new Call().online().run("completion", "bash").out()
            + "COMP_WORDS=(krond --exit)\nCOMP_CWORD=1\n_krond\necho \"${COMPREPLY[@]}\"\n";
    assertEquals("--exit-with\n", shell("bash", script));
  }

  @Test
  void writesAScriptForFish() {
    String fish = new Call().online().run("completion", "fish").out();
    assertTrue(
        fish.contains(
            "complete -c kron -n '__fish_seen_subcommand_from trigger' -a '(kron completion"
                + " --names jobs 2>/dev/null)'"),
        fish);
    assertTrue(fish.contains("complete -c krond -l state "), fish);
  }

  @Test
  void printsScriptsThatTheirShellsAccept() throws Exception {
    Path bash = Files.writeString(directory.resolve("kron.bash"), kron("completion", "bash").out());
    assertEquals("", output("bash", "-n", bash.toString()));
    Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/zsh")), "zsh is not installed");
    Path zsh = Files.writeString(directory.resolve("_kron"), kron("completion", "zsh").out());
    assertEquals("", output("zsh", "-n", zsh.toString()));
  }

  @Test
  void refusesOtherShells() {
    assertEquals(
        """
        kron: completion is made for bash, zsh and fish, not for "tcsh"
        Try 'kron completion --help'.
        """,
        kron("completion", "tcsh").err());
  }
}
