package dev.kron.cli.line;

import java.util.List;

/** How an answer is written. */
public enum Format {
  TEXT,
  JSON,
  SVG;

  public static final Option OPTION =
      Option.choice(
          "--format", List.of("text", "json"), "for people (the default) or for programs");

  public static Format of(CommandArguments arguments) {
    return switch (arguments.value("--format", "text")) {
      case "json" -> JSON;
      case "svg" -> SVG;
      default -> TEXT;
    };
  }
}
