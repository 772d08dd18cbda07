package dev.kron.web.packing;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds what a file refers to, and what may not stand in it. */
final class References {
  private static final Pattern SCRIPT =
      Pattern.compile(
          // import "x", import a, {b as c} from "x", export * from "x"
          "\\b(?:import|export)\\b(?:[\\s\\w{},*$]*?\\bfrom)?\\s*[\"'](?<import>[^\"'\\n]+)[\"']"
              // import("x")
              + "|\\bimport\\(\\s*[\"'](?<dynamic>[^\"'\\n]+)[\"']\\s*\\)"
              // new URL("x", import.meta.url)
              + "|\\bnew URL\\(\\s*[\"'](?<url>[^\"'\\n]+)[\"']\\s*,\\s*import\\.meta\\.url");

  private static final Pattern STYLE =
      Pattern.compile(
          "\\burl\\(\\s*[\"']?(?<url>[^\"')]+)[\"']?\\s*\\)|@import\\s+[\"'](?<import>[^\"']+)[\"']");

  private static final Pattern PAGE = Pattern.compile("\\s(?:src|href)=\"(?<url>[^\"]+)\"");

  private static final Pattern INLINE =
      Pattern.compile(
          "(?is)<script(?![^>]*\\ssrc=)[^>]*>|<script[^>]*>\\s*[^\\s<]|<style\\b|\\sstyle\\s*="
              + "|<[^>]*\\son[a-z]+\\s*=\\s*[\"']|javascript:");

  private static final Pattern INLINE_IN_SCRIPT =
      Pattern.compile(
          "(?i)<script\\b|<style\\b|\\sstyle=\"|\\bjavascript:|\\beval\\(|\\bnew Function\\(");

  private static final Pattern NEVER = Pattern.compile("(?!)");

  private References() {}

  /** The name that stands in a file for another one. */
  record Reference(String target, Kind kind) {}

  /** The ways in which a file is needed by another. */
  enum Kind {
    /** The file is needed before the other can run. */
    IMPORT,
    /** The file is needed at some time. */
    LATER
  }

  /** All references in a file, in its order. */
  static List<Reference> in(String name, String text) {
    var found = new ArrayList<Reference>();
    Matcher matcher = pattern(name).matcher(text);
    while (matcher.find()) {
      String target = target(matcher);
      if (!isOutside(target)) {
        boolean imported = name.endsWith(".html") || has(matcher, "import");
        found.add(new Reference(target, imported ? Kind.IMPORT : Kind.LATER));
      }
    }
    return found;
  }

  /** The same text with other targets. */
  static String replace(String name, String text, UnaryOperator<String> target) {
    return pattern(name)
        .matcher(text)
        .replaceAll(
            match -> {
              String old = target(match);
              String changed =
                  isOutside(old) ? match.group() : replaceLast(match.group(), old, target);
              return Matcher.quoteReplacement(changed);
            });
  }

  private static String replaceLast(String text, String old, UnaryOperator<String> target) {
    int at = text.lastIndexOf(old);
    return text.substring(0, at) + target.apply(old) + text.substring(at + old.length());
  }

  /** The part that a strict policy would keep from working, null: nothing. */
  static @Nullable String inline(String name, String text) {
    Pattern pattern =
        name.endsWith(".html") ? INLINE : name.endsWith(".js") ? INLINE_IN_SCRIPT : NEVER;
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? matcher.group().strip() : null;
  }

  private static Pattern pattern(String name) {
    return switch (name.substring(name.lastIndexOf('.') + 1)) {
      case "js" -> SCRIPT;
      case "css" -> STYLE;
      case "html" -> PAGE;
      default -> NEVER;
    };
  }

  private static String target(MatchResult match) {
    for (String group : match.namedGroups().keySet()) {
      if (match.group(group) != null) {
        return match.group(group);
      }
    }
    throw new IllegalStateException(match.group());
  }

  private static boolean has(Matcher matcher, String group) {
    return matcher.namedGroups().containsKey(group) && matcher.group(group) != null;
  }

  /**
   * Whether a reference leads to no other file: it stays within its own, or is data in place of
   * one.
   */
  private static boolean isOutside(String target) {
    return target.startsWith("#") || target.startsWith("data:");
  }
}
