package dev.kron.cli.online;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.kron.cli.line.CommandArguments;
import dev.kron.cli.line.CommandSpec;
import dev.kron.cli.line.CommandSpec.Example;
import dev.kron.cli.line.CommandSpec.Exit;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.line.Option;
import dev.kron.cli.line.RefusedException;
import dev.kron.cli.line.UsageException;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Surroundings;
import dev.kron.cli.output.Table;
import dev.kron.json.Json;
import java.io.File;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@code kron dashboard}. */
final class DashboardCommand extends OnlineCommand {
  private static final List<String> OPENERS =
      List.of("xdg-open", "open", "wslview", "sensible-browser", "x-www-browser");
  private static final long OPENING_SECONDS = 5;

  DashboardCommand() {
    super("dashboard", "open the daemon's page in a browser");
  }

  @Override
  public CommandSpec spec() {
    return spec(
        "kron dashboard [--print | --sessions | --end [--session ID]]",
        null,
        List.of(
            Option.flag("--print", "print the link, and open nothing"),
            Option.flag("--sessions", "list your sessions, one for each browser"),
            Option.flag("--end", "sign out: end all of your sessions, in every browser"),
            Option.value("--session", "ID", "with --end: only this one")),
        List.of(
            "The page shows what this command line shows, in pictures, and lets you do what you may"
                + " do here. No password is needed: the link opens it once, within a minute, for"
                + " the user who asked. Whoever sees it can use it in your place, so it is handed"
                + " to the browser in a file that only you can read.",
            "The browser is $BROWSER, or whatever opens pages on this machine."),
        List.of(
            new Example("kron dashboard", "on the machine that you sit at"),
            new Example("kron dashboard --print", "on another one; docs/dashboard.md has the rest"),
            new Example("kron dashboard --sessions", "where you are signed in"),
            new Example("kron dashboard --end", "a browser of yours was left somewhere")),
        new Exit(ExitCode.REFUSED, "no browser could be started"));
  }

  @Override
  int run(Api api, CommandArguments arguments, Surroundings surroundings) throws IOException {
    if (arguments.has("--session") && !arguments.has("--end")) {
      throw new UsageException("--session goes with --end: kron dashboard --end --session ID");
    }
    if (arguments.has("--sessions")) {
      return sessions(api, arguments, surroundings);
    }
    if (arguments.has("--end")) {
      String one = arguments.value("--session");
      String query = one == null ? "" : "?session=" + URLEncoder.encode(one, UTF_8);
      Json ended = api.post(Api.path("dashboard", "end") + query);
      if (wantsJson(arguments)) {
        return json(ended, surroundings);
      }
      surroundings.out().line(ended.text("message"));
      return ExitCode.OK;
    }
    Json link = api.post(Api.path("dashboard", "links"));
    if (wantsJson(arguments)) {
      return json(link, surroundings);
    }
    Output out = surroundings.out();
    List<String> addresses = link.texts("links");
    if (arguments.has("--print")) {
      for (String address : addresses) {
        out.line(address);
      }
      return ExitCode.OK;
    }
    Path page = redirect(addresses.getFirst(), surroundings);
    String browser = browser(surroundings);
    if (browser == null || !opens(browser, page)) {
      Files.deleteIfExists(page);
      throw new RefusedException(
          ExitCode.REFUSED,
          List.of(
              browser == null
                  ? "there is nothing here that opens a page: neither $BROWSER nor "
                      + String.join(", ", OPENERS)
                  : browser + " could not open the page",
              "kron dashboard --print prints the link, for a browser of your choice"));
    }
    out.line("opened in a browser; if it is not there, try: kron dashboard --print");
    return ExitCode.OK;
  }

  private static int sessions(Api api, CommandArguments arguments, Surroundings surroundings)
      throws IOException {
    Json answer = api.get(Api.path("dashboard", "sessions"));
    if (wantsJson(arguments)) {
      return json(answer, surroundings);
    }
    long now = surroundings.now().getAsLong();
    Table table = new Table("SESSION", "SINCE", "USED", "OPEN", "ADDRESS");
    for (Json session : answer.list("sessions")) {
      table.row(
          session.text("id"),
          Instants.away(session.second("since"), now),
          Instants.away(session.second("used"), now),
          session.is("open") ? "yes" : "no",
          session.text("address"));
    }
    table.printOr("you have no session of the dashboard", surroundings.out());
    return ExitCode.OK;
  }

  /** A page that leads on, for this user's eyes only: no other program sees the link. */
  private static Path redirect(String address, Surroundings surroundings) throws IOException {
    Path directory = directory(surroundings);
    Path made =
        Files.createTempFile(
            directory,
            "dashboard",
            ".new",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(
        made,
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"
            + "<meta http-equiv=\"refresh\" content=\"0; url="
            + address
            + "\"><title>kron</title>\n");
    return Files.move(
        made,
        directory.resolve("dashboard.html"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  /** The user's runtime directory, or the directory of their data. */
  private static Path directory(Surroundings surroundings) throws IOException {
    String runtime = surroundings.environment().variable("XDG_RUNTIME_DIR");
    String home = surroundings.environment().variable("HOME");
    if (runtime != null && Files.isWritable(Path.of(runtime))) {
      return own(Path.of(runtime).resolve("kron"));
    }
    if (home == null || home.isEmpty()) {
      throw new RefusedException(
          ExitCode.REFUSED,
          List.of("HOME is not set, and the link must go into a file: use --print"));
    }
    return own(Path.of(home, ".cache", "kron"));
  }

  private static Path own(Path directory) throws IOException {
    Path parent = directory.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    if (!Files.isDirectory(directory)) {
      Files.createDirectory(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    return directory;
  }

  private static @Nullable String browser(Surroundings surroundings) {
    String named = surroundings.environment().variable("BROWSER");
    if (named != null && !named.isEmpty()) {
      return named.split(":")[0]; // it may be a list
    }
    String path = surroundings.environment().variable("PATH");
    for (String opener : OPENERS) {
      for (String directory : (path == null ? "/usr/bin:/bin" : path).split(File.pathSeparator)) {
        if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, opener))) {
          return opener;
        }
      }
    }
    return null;
  }

  /** One that stays is a browser itself, and has opened it. */
  private static boolean opens(String browser, Path page) throws IOException {
    Process process;
    try {
      process =
          new ProcessBuilder(browser, page.toString())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      return false;
    }
    try {
      return !process.waitFor(OPENING_SECONDS, TimeUnit.SECONDS) || process.exitValue() == 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
