package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.line.ExitCode;
import dev.kron.config.Account;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/coming-from.md: every command on it is run, and every setting checked. */
class ComingFromTest {
  private static final Path ROOT =
      Path.of(System.getProperty("kron.root", "..")).toAbsolutePath().normalize();
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** One needs a terminal, which WatchTest has; with the other every test here ends its daemon. */
  private static final Set<String> ELSEWHERE = Set.of("kron watch", "kron shutdown --kill");

  @TempDir Path directory;

  @Test
  void hasTenOfEach() throws IOException {
    for (String chapter : Files.readString(ROOT.resolve("docs/coming-from.md")).split("\n## ")) {
      long rows = chapter.lines().filter(line -> line.startsWith("| ")).count();
      assertTrue(rows >= 12 || chapter.startsWith("# "), chapter); // two of them are the heading
    }
  }

  /** What stands in code in the last column of each row, a list for each chapter. */
  private static List<List<String>> chapters() throws IOException {
    List<List<String>> chapters = new ArrayList<>();
    for (String chapter : Files.readString(ROOT.resolve("docs/coming-from.md")).split("\n## ")) {
      List<String> ours = new ArrayList<>();
      for (String line : chapter.lines().filter(it -> it.startsWith("| ")).toList()) {
        String[] cells = line.split(" \\| ");
        Matcher code = CODE.matcher(cells[cells.length - 1]);
        while (code.find()) {
          ours.add(code.group(1));
        }
      }
      chapters.add(ours);
    }
    return chapters.subList(1, chapters.size());
  }

  @Test
  void everyCommandWorks() throws Exception {
    assertEquals(6, chapters().size());
    Path work = Files.createDirectory(directory.resolve("work"));
    Files.writeString(work.resolve("old-crontab"), "0 3 * * * /bin/true\n");
    Files.writeString(work.resolve("jobs.kron"), "0 3 * * * name=backup command=/bin/true\n");
    try (var daemon =
        new RunningDaemon(directory, null, "0 0 1 1 * name=backup command=\"/bin/echo hi\"")) {
      daemon.kron("trigger", "backup", "--wait");
      // It is told to read its files again, and is no worse for it.
      String web = "trap '' HUP USR2; echo hello; exec sleep 1000";
      daemon.service(
          "web",
          "[service]\nexec = \"" + web + "\"\nshell = true\n[hooks]\nreload = \"/bin/true\"\n");
      daemon.kron("reload");
      Set<String> done = new HashSet<>();
      for (List<String> chapter : chapters()) {
        List<String> commands = chapter.stream().filter(it -> it.startsWith("kron ")).toList();
        assertTrue(commands.size() >= 6, commands::toString);
        daemon.kron("start", "web", "--wait");
        for (String command : commands) {
          if (!ELSEWHERE.contains(command) && done.add(command)) {
            runs(daemon, work, command);
          }
        }
      }
    }
  }

  private static void runs(RunningDaemon daemon, Path work, String command) {
    String[] words = command.substring("kron ".length()).split(" ");
    boolean reloads = command.equals("kron reload web");
    if (words[0].equals("signal") || words[0].equals("restart") || reloads) {
      daemon.kron("start", "web", "--wait"); // it needs a process
    }
    Result result = daemon.call().in(work).with("HOME", work.toString()).run(words);
    // A service that crashes was started with all others, and status says so.
    boolean troubled = words[0].equals("status") && result.out().contains("crashy");
    assertEquals(
        troubled ? ExitCode.REFUSED : ExitCode.OK, result.code(), command + ": " + result.err());
  }

  @Test
  void everySettingIsOne() throws Exception {
    Path config = Files.createDirectory(directory.resolve("settings"));
    int settings = 0;
    for (List<String> chapter : chapters()) {
      for (String setting : chapter) {
        if (setting.contains("user = ") && Account.current().uid() != 0) {
          continue; // for root alone
        }
        if (setting.startsWith("[")) {
          Files.writeString(config.resolve("s" + ++settings + ".toml"), service(setting));
        } else if (setting.contains("=") || setting.startsWith("@")) {
          Files.writeString(config.resolve("j" + ++settings + ".kron"), job(setting));
        }
      }
    }
    assertTrue(settings > 30, "settings found: " + settings);
    Files.writeString(config.resolve("db.toml"), "[service]\nexec = \"/bin/true\"\n");
    Files.createDirectory(config.resolve("credentials"));
    Path profile = Files.writeString(config.resolve("credentials/shop.env"), "A=b\n");
    Files.setPosixFilePermissions(profile, PosixFilePermissions.fromString("rw-------"));
    Result result = Call.kron("lint", config.toString());
    assertTrue(result.out().contains(" 0 errors"), result.out() + result.err());
  }

  /** {@code [table] key = value}, in a file that is complete with it. */
  private static String service(String setting) {
    int end = setting.indexOf(']') + 1;
    String table = setting.substring(0, end);
    String key = setting.substring(end + 1);
    String exec =
        key.startsWith("exec") && table.equals("[service]") ? "" : "exec = \"/bin/true\"\n";
    return table.equals("[service]")
        ? "[service]\n" + exec + key + "\n"
        : "[service]\n" + exec + table + "\n" + key + "\n";
  }

  private static String job(String setting) {
    if (setting.contains("name=")) {
      return setting + "\n";
    }
    if (setting.startsWith("@every")) {
      return setting + " name=j command=/bin/true\n";
    }
    return setting.startsWith("@")
        ? "0 3 * * * " + setting + " name=j command=/bin/true\n"
        : "0 3 * * * name=j command=/bin/true " + setting + "\n";
  }
}
