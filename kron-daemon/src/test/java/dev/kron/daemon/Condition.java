package dev.kron.daemon;

/** Something that becomes true while a test waits for it. */
public interface Condition {
  boolean holds() throws Exception;

  /** Whether it holds; what it throws fails the test. */
  default boolean isMet() {
    try {
      return holds();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
