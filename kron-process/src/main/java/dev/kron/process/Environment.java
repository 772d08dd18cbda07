package dev.kron.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Which variables a shell hands on as it got them. The keeper is a shell, and a keeper may run with
 * more rights than its command: what a shell changes or drops, and what changes how programs are
 * loaded, goes round it, as arguments of {@code env} right before the command.
 *
 * <p>Arguments can be seen by other users for a moment, so a secret needs an ordinary name. That
 * {@code env} costs the start another {@code exec}, so whoever builds an environment from its own
 * does well to leave out {@code PWD}, {@code OLDPWD}, {@code SHLVL} and {@code _}, which describe a
 * shell's moment.
 */
public final class Environment {

  /** Set, changed or taken as an instruction by dash, bash or busybox. */
  private static final Set<String> SHELL_OWNED =
      Set.of(
          "_",
          "BASHOPTS",
          "COLUMNS",
          "DIRSTACK",
          "ENV",
          "EPOCHREALTIME",
          "EPOCHSECONDS",
          "EUID",
          "FUNCNAME",
          "GROUPS",
          "IFS",
          "LINENO",
          "LINES",
          "OLDPWD",
          "OPTARG",
          "OPTERR",
          "OPTIND",
          "POSIXLY_CORRECT",
          "PPID",
          "PS1",
          "PS2",
          "PS4",
          "PWD",
          "RANDOM",
          "REPLY",
          "SECONDS",
          "SHELLOPTS",
          "SHLVL",
          "SRANDOM",
          "UID");

  private static final Set<String> MOMENTARY = Set.of("PWD", "OLDPWD", "SHLVL", "_");

  private Environment() {}

  /** Whether a variable of this name reaches the command through the keeper, at no cost. */
  public static boolean isOrdinary(String name) {
    return isIdentifier(name)
        && !SHELL_OWNED.contains(name)
        && !name.startsWith("LD_")
        && !name.startsWith("GLIBC_")
        && !name.startsWith("MALLOC_")
        && !name.startsWith("BASH")
        && !name.startsWith(Keeper.RESERVED_PREFIX);
  }

  /**
   * What this process was started with, less the four that describe a shell's moment and whatever
   * is not UTF-8, which no Java string could carry on unchanged.
   */
  public static List<String> inherited() {
    byte[] all;
    try {
      all = Files.readAllBytes(Path.of("/proc/self/environ"));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read /proc/self/environ", e);
    }
    return variables(all).stream()
        .filter(variable -> variable.indexOf('=') > 0)
        .filter(variable -> !MOMENTARY.contains(variable.substring(0, variable.indexOf('='))))
        .toList();
  }

  static List<String> variables(byte[] environ) {
    List<String> variables = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < environ.length; i++) {
      if (environ[i] == 0) {
        try {
          variables.add(
              UTF_8.newDecoder().decode(ByteBuffer.wrap(environ, start, i - start)).toString());
        } catch (CharacterCodingException e) {
          // Left out, as promised.
        }
        start = i + 1;
      }
    }
    return variables;
  }

  private static boolean isIdentifier(String name) {
    if (name.isEmpty() || isDigit(name.charAt(0))) {
      return false;
    }
    return name.chars().allMatch(c -> isLetter(c) || isDigit(c) || c == '_');
  }

  private static boolean isLetter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }
}
