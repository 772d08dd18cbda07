package dev.kron.store;

/**
 * Unknown members of the supervisor's file, encoded to be written again behind the known ones:
 * those of a spec or an instance, and of the objects within a spec.
 */
final class UnknownMembers {
  static final byte[] NOTHING = new byte[0];
  static final UnknownMembers NONE = new UnknownMembers(NOTHING, NOTHING, NOTHING);

  final byte[] own;
  final byte[] ofRestart;
  final byte[] ofDependencies;

  UnknownMembers(byte[] own, byte[] ofRestart, byte[] ofDependencies) {
    this.own = own;
    this.ofRestart = ofRestart;
    this.ofDependencies = ofDependencies;
  }
}
