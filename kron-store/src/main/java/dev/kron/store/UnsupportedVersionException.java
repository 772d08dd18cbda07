package dev.kron.store;

/** A state file of another version. */
final class UnsupportedVersionException extends Exception {
  private final String version;

  UnsupportedVersionException(String version) {
    super("version " + version, null, false, false);
    this.version = version;
  }

  String version() {
    return version;
  }
}
