package dev.kron.simulation.mutants;

import java.util.ArrayList;
import java.util.List;

/** Code to plant bugs in, for the test of the tool. */
final class Specimen {
  private int total = 7;

  boolean isBelow(int bound) {
    return total < bound;
  }

  int sum(int number) {
    return total + number;
  }

  void put(int number) {
    total = number;
  }

  List<String> words() {
    List<String> words = new ArrayList<>();
    words.add("two");
    words.addFirst("one");
    return words;
  }

  int tenTimes(int number) {
    return number * 10;
  }

  /** Everything that can be asked of it. */
  String told() {
    put(sum(3));
    return isBelow(10) + " " + isBelow(11) + " " + total + " " + words() + " " + tenTimes(4);
  }
}
