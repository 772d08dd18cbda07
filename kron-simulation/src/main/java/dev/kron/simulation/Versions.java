package dev.kron.simulation;

import dev.kron.store.MalformedStateException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** State files as other versions of the daemon write them. */
final class Versions {
  private static final String START = "{\"Version\":\"";

  private Versions() {}

  static boolean is(byte[] file, String version) {
    byte[] start = (START + version + "\"").getBytes(StandardCharsets.UTF_8);
    return file.length >= start.length
        && Arrays.equals(file, 0, start.length, start, 0, start.length);
  }

  static boolean isWhole(byte[] file, String version) {
    try {
      return is(file, version) && WitnessJson.parse(file) != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** The file as this version writes it. */
  static byte[] current(byte[] file) {
    try {
      return is(file, "0") ? write(file, "0", "1") : is(file, "2") ? write(file, "2", "1") : file;
    } catch (MalformedStateException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The same file in another version. */
  static byte[] write(byte[] file, String from, String to) throws MalformedStateException {
    if (!is(file, from)) {
      throw new MalformedStateException("not a state file of version " + from);
    }
    String text = new String(file, StandardCharsets.UTF_8);
    return (START + to + text.substring(START.length() + from.length()))
        .getBytes(StandardCharsets.UTF_8);
  }
}
