package dev.kron.job;

import dev.kron.text.VisibleText;
import org.jspecify.annotations.Nullable;

/** The rule for names of nodes and for labels, which stand in identities and in lists. */
public final class FleetNames {
  private static final int LONGEST = 64;

  private FleetNames() {}

  /**
   * What is wrong with a name, or null.
   *
   * @param what is named, for people
   */
  public static @Nullable String problem(String what, String name) {
    if (name.isEmpty() || name.length() > LONGEST) {
      return what + " is " + VisibleText.quote(name) + "; expected 1 to 64 characters";
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!letter && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.') {
        return what
            + " is "
            + VisibleText.quote(name)
            + ", which holds "
            + VisibleText.quote(Character.toString(name.codePointAt(i)))
            + "; expected letters, digits, \"-\", \"_\" and \".\"";
      }
    }
    return null;
  }
}
