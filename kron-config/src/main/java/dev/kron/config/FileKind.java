package dev.kron.config;

import java.util.regex.Pattern;

/** The kind of a file in a configuration directory, decided by its name alone. */
public enum FileKind {
  /** A krontab: {@code *.kron}, {@code *.krontab} and names without a dot. */
  KRONTAB,
  /** A service: {@code *.toml}. */
  SERVICE,
  /** The notification rules: {@code notify.toml}. */
  NOTIFY,
  /** This machine's place in a fleet: {@code fleet.toml}. */
  FLEET,
  /**
   * A file that is not read: hidden files, copies of editors and package managers, and everything
   * else.
   */
  PASSED_OVER;

  private static final Pattern COPY =
      Pattern.compile("\\.(rpmsave|rpmnew|rpmorig|ucf-(new|old|dist)|orig|swp)(\\.|$)");

  public static FileKind of(String name) {
    if (name.isEmpty() || name.startsWith(".") || name.endsWith("~")) {
      return PASSED_OVER;
    }
    if (name.equals(NotifyFile.NAME)) {
      return NOTIFY;
    }
    if (name.equals(FleetFile.NAME)) {
      return FLEET;
    }
    int dot = name.lastIndexOf('.');
    if (dot < 0) {
      return KRONTAB;
    }
    if (isCopy(name)) {
      return PASSED_OVER;
    }
    return switch (name.substring(dot + 1)) {
      case "kron", "krontab" -> KRONTAB;
      case "toml" -> SERVICE;
      default -> PASSED_OVER;
    };
  }

  /** Whether an editor or a package manager left the file. */
  private static boolean isCopy(String name) {
    return name.endsWith("~")
        || name.endsWith(".bak")
        || name.contains(".bak.")
        || name.contains(".dpkg-")
        || COPY.matcher(name).find();
  }

  /** The reason why a file of this kind and name is not read. */
  String reason(String name) {
    if (name.startsWith(".")) {
      return "a hidden file";
    }
    return isCopy(name)
        ? "a copy left by an editor or a package manager"
        : "krontabs are called *.kron, *.krontab, or have no dot in their name, services *.toml";
  }
}
