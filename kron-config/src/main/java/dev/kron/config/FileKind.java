package dev.kron.config;

/** What a file in a configuration directory is, by its name alone. */
public enum FileKind {
  /** {@code *.kron}, {@code *.krontab} and names without a dot. */
  KRONTAB,
  /** {@code *.toml}: services. */
  SERVICE,
  /** Hidden files, left-overs of editors and package managers, and everything else. */
  PASSED_OVER;

  public static FileKind of(String name) {
    if (name.isEmpty() || name.startsWith(".") || name.endsWith("~")) {
      return PASSED_OVER;
    }
    int dot = name.lastIndexOf('.');
    if (dot < 0) {
      return KRONTAB;
    }
    // Names such as db.kron.dpkg-new, db.rpmsave and db.bak fall out by their last part.
    return switch (name.substring(dot + 1)) {
      case "kron", "krontab" -> KRONTAB;
      case "toml" -> SERVICE;
      default -> PASSED_OVER;
    };
  }

  /** Why a file of this kind and name is not read. */
  String reason(String name) {
    if (name.startsWith(".")) {
      return "a hidden file";
    }
    boolean copy =
        name.endsWith("~")
            || name.endsWith(".bak")
            || name.contains(".dpkg-")
            || name.matches(".*\\.rpm(save|new|orig)");
    return copy
        ? "a copy left by an editor or a package manager"
        : "krontabs are called *.kron, *.krontab, or have no dot in their name, services *.toml";
  }
}
