package dev.kron.store;

/**
 * Members of the supervisor's file that nobody here knows, ready to be written again behind those
 * that somebody does: of a spec or an instance, and of the objects in a spec.
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
