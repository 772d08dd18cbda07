package dev.kron.cli.line;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class CommandArgumentsTest {
  private static final CommandSpec SPEC =
      new CommandSpec(
          "try",
          "tries",
          List.of("kron try"),
          Operand.optional("JOB", Completion.Nothing.NOTHING, "the job"),
          List.of(
              Option.value("--count", "N", "how many"),
              Option.choice("--format", List.of("text", "json"), "how"),
              Option.path("--file", "F", "where").repeated(),
              Option.flag("--strict", "be strict")),
          List.of(),
          List.of(),
          List.of());

  private static CommandArguments parse(String... words) {
    return CommandArguments.parse(SPEC, List.of(words));
  }

  private static String refusal(String... words) {
    return assertThrows(UsageException.class, () -> parse(words)).text();
  }

  @Test
  void takesAValueAsTheNextWordOrAfterAnEqualsSign() {
    assertEquals("3", parse("--count", "3").value("--count"));
    assertEquals("3", parse("--count=3").value("--count"));
    assertEquals("a=b", parse("--count=a=b").value("--count"));
    assertEquals("", parse("--count=").value("--count"));
    assertEquals("-3h", parse("--count", "-3h").value("--count"));
  }

  @Test
  void keepsOperandsApartFromOptions() {
    CommandArguments arguments = parse("--strict", "backup", "--count", "3");
    assertEquals(List.of("backup"), arguments.operands());
    assertTrue(arguments.has("--strict"));
  }

  @Test
  void takesEverythingAfterTwoDashesAsOperands() {
    assertEquals(List.of("--strict"), parse("--", "--strict").operands());
    assertEquals(List.of("-"), parse("-").operands());
  }

  @Test
  void collectsWhatMayBeRepeated() {
    assertEquals(List.of("a", "b"), parse("--file", "a", "--file=b").values("--file"));
  }

  @Test
  void givesHelpWhateverElseIsWrong() {
    assertTrue(parse("--nonsense", "--help").helpWanted());
    assertTrue(parse("-h").helpWanted());
  }

  @Test
  void saysWhatWasProbablyMeant() {
    assertEquals("kron try has no option --strct; did you mean --strict?", refusal("--strct"));
    assertEquals("kron try has no option --fromat; did you mean --format?", refusal("--fromat=x"));
    assertEquals("kron try has no option --xyzzy", refusal("--xyzzy"));
    assertEquals("kron try has no option -x", refusal("-x"));
  }

  @Test
  void refusesWhatItCouldOnlyIgnore() {
    assertEquals("--count needs a value: --count N", refusal("--count"));
    assertEquals("--strict takes no value", refusal("--strict=yes"));
    assertEquals("--count may be given only once", refusal("--count=1", "--count=2"));
    assertEquals("\"b\" is one word too many: there is only one JOB", refusal("a", "b"));
    assertEquals(
        "--format is one of text, json, not \"jsn\"; did you mean json?", refusal("--format=jsn"));
  }
}
