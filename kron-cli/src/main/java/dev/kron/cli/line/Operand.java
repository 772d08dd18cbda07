package dev.kron.cli.line;

/**
 * A word of a command line that is not an option.
 *
 * @param name what the help calls it
 * @param minimum how many there must be
 * @param maximum how many there may be
 */
public record Operand(String name, int minimum, int maximum, Completion completion, String help) {
  public static Operand optional(String name, Completion completion, String help) {
    return new Operand(name, 0, 1, completion, help);
  }

  public static Operand any(String name, Completion completion, String help) {
    return new Operand(name, 0, Integer.MAX_VALUE, completion, help);
  }

  public static Operand required(String name, Completion completion, String help) {
    return new Operand(name, 1, 1, completion, help);
  }
}
