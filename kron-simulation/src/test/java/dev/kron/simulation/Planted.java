package dev.kron.simulation;

/** Which of the bugs that sleep in a house is awake. Each house has a class of its own of it. */
public final class Planted {
  /** 0: none. */
  public static volatile int number;

  private Planted() {}
}
