package dev.kron.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

class CommandWordsTest {
  static final List<Arguments> CASES =
      List.of(
          Arguments.of("", List.of()),
          Arguments.of(" \t ", List.of()),
          Arguments.of("a", List.of("a")),
          Arguments.of("  a \t b  ", List.of("a", "b")),
          Arguments.of("'a  b' c", List.of("a  b", "c")),
          Arguments.of("\"a  b\" c", List.of("a  b", "c")),
          Arguments.of("a'b'\"c\"d", List.of("abcd")),
          Arguments.of("'' \"\" x", List.of("", "", "x")),
          Arguments.of("a\\ b", List.of("a b")),
          Arguments.of("\\'a\\\"", List.of("'a\"")),
          Arguments.of("'a\\b'", List.of("a\\b")),
          Arguments.of("\"a\\\\b\\\"c\"", List.of("a\\b\"c")),
          Arguments.of("\"\\$x \\` \\n\"", List.of("$x ` \\n")),
          Arguments.of("\"it's\" 'say \"x\"'", List.of("it's", "say \"x\"")),
          Arguments.of(
              "$HOME ~ * ? [a] {b,c} `d` $(e) #f",
              List.of("$HOME", "~", "*", "?", "[a]", "{b,c}", "`d`", "$(e)", "#f")),
          Arguments.of("a|b;c>d", List.of("a|b;c>d")),
          Arguments.of("é 😀\\😀", List.of("é", "😀😀")));

  @ParameterizedTest
  @FieldSource("CASES")
  void splitsLikeAShellWithoutExpansion(String text, List<String> words) {
    CommandWords split = CommandWords.split(text);
    assertNull(split.problem());
    assertEquals(words, split.words());
  }

  @Test
  void saysWhichQuoteIsOpen() {
    assertEquals(4, CommandWords.split("a b 'c").offset());
    assertEquals(2, CommandWords.split("a \"b\\\"").offset());
    assertEquals(1, CommandWords.split("a\\").offset());
    assertEquals(List.of(), CommandWords.split("a 'b").words());
  }
}
