package dev.kron.config;

import static dev.kron.config.Krontabs.parse;
import static dev.kron.config.Krontabs.said;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** UTF-8, LF, no byte order mark, and bounds: everything else is said once, with a way out. */
class KrontabEncodingTest {
  private static final KrontabParser.Settings DEFAULT = KrontabParser.Settings.DEFAULT;
  private static final String ENTRY = "0 0 * * * name=a command=/bin/true";

  @Test
  void readsTextOfTheWholeWorld() {
    Krontab krontab =
        parse("# ĝis 明日 😀\n" + ENTRY + " description=\"Ĉiutage 毎日 😀\" env=GREETING=Grüß\n");
    assertEquals(List.of(), krontab.diagnostics());
    assertEquals("Ĉiutage 毎日 😀", krontab.jobs().getFirst().description());
  }

  @Test
  void saysWhichByteIsNotUtf8() {
    byte[] latin1 =
        ("# ok\n" + ENTRY + " description=Größe\n").getBytes(StandardCharsets.ISO_8859_1);
    assertEquals(
        List.of(
            "2:50: byte 0xF6, at offset 54 of the file, is not valid UTF-8; if the file is Latin-1,"
                + " convert it with iconv -f LATIN1 -t UTF-8"),
        said(parse(latin1, DEFAULT)));
  }

  @Test
  void countsCharactersNotBytesBeforeTheInvalidByte() {
    byte[] content = join(bytes("# äöü😀 "), new byte[] {(byte) 0xC3, '('}, bytes("\n"));
    assertEquals(
        List.of(
            "1:8: byte 0xC3, at offset 13 of the file, is not valid UTF-8; if the file is Latin-1,"
                + " convert it with iconv -f LATIN1 -t UTF-8"),
        said(parse(content, DEFAULT)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "C0 AF", // overlong
        "ED A0 80", // surrogate
        "F4 90 80 80", // beyond the last character
        "E2 82", // cut off
        "80", // continuation alone
        "FF"
      })
  void refusesEveryKindOfInvalidUtf8(String hex) {
    byte[] bad = HexFormat.ofDelimiter(" ").parseHex(hex);
    Krontab krontab = parse(join(bytes(ENTRY + " description="), bad, bytes("\n")), DEFAULT);
    assertEquals(1, krontab.diagnostics().size());
    assertEquals(48, krontab.diagnostics().getFirst().column());
    assertEquals(List.of(), krontab.jobs());
  }

  @Test
  void refusesAByteOrderMarkAndReadsOn() {
    assertEquals(
        List.of(
            "1:1: the file begins with a byte order mark (U+FEFF); save it as UTF-8 without one, or"
                + " remove it with sed -i '1s/^\\xEF\\xBB\\xBF//' FILE",
            "2:36: unknown key \"usr\"; did you mean \"user\"?"),
        said("\uFEFF# comment\n" + ENTRY + " usr=x\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16", "UTF-16LE"})
  void recognisesUtf16(String charset) {
    byte[] content = ("\uFEFF" + ENTRY).getBytes(Charset.forName(charset));
    List<String> said = said(parse(content, DEFAULT));
    assertEquals(1, said.size());
    assertTrue(said.getFirst().startsWith("1:1: the file is encoded in UTF-16"), said.toString());
  }

  @Test
  void complainsOnceAboutWindowsLineEnds() {
    assertEquals(
        List.of(
            "2:35: the file has Windows line ends (CR LF), on 3 lines; a krontab has LF alone:"
                + " remove them with sed -i 's/\\r"
                + "$//' FILE",
            "3:36: unknown key \"usr\"; did you mean \"user\"?"),
        said("# first\n" + ENTRY + "\r\n" + ENTRY.replace("=a", "=b") + " usr=x\r\n\r\n"));
  }

  @Test
  void refusesACarriageReturnInsideALine() {
    assertEquals(
        List.of("1:35: the control character U+000D may not stand in an entry"),
        said(ENTRY + "\r" + ENTRY));
  }

  @Test
  void stopsAtANulByte() {
    assertEquals(
        List.of(
            "2:4: a NUL byte, at offset 5 of the file: this is not a text file; nothing after it"
                + " was read"),
        said("#\nabc\0def\nnonsense\n"));
  }

  @Test
  void refusesControlCharactersInEntriesAndIgnoresThemInComments() {
    assertEquals(
        List.of("2:49: the control character U+001B may not stand in an entry"),
        said("# \u000C\u001B[31m\n" + ENTRY + " description=x\u001B[31m\n"));
    assertEquals(1, said(ENTRY + " description=x\u0085y\n").size());
    assertEquals(1, said(ENTRY + " description=x\u007Fy\n").size());
  }

  @Test
  void readsLinesUpToTheLimitAndNotBeyond() {
    String longest = ENTRY + " description=" + "x".repeat(64 * 1024 - ENTRY.length() - 13);
    assertEquals(64 * 1024, longest.length());
    assertEquals(1, parse(longest + "\n").jobs().size());
    assertEquals(
        List.of(
            "1:1: the line has 65537 bytes, the limit is 65536; put the command into a script and"
                + " call that"),
        said(longest + "x\n"));
  }

  @Test
  void countsTheJobsOfAllFilesTogether() {
    var parser = new KrontabParser(new KrontabParser.Settings(false, 64 * 1024, 3));
    byte[] two = bytes(ENTRY + "\n" + ENTRY.replace("=a", "=b") + "\n");
    assertEquals(2, parser.parse(Path.of("/a"), two).jobs().size());
    Krontab second = parser.parse(Path.of("/b"), two);
    assertEquals(1, second.jobs().size());
    assertEquals(
        "/b:2:1: more than 3 jobs in all files together; spread them over several daemons",
        second.diagnostics().getFirst().toString());
    Krontab third = parser.parse(Path.of("/c"), two);
    assertEquals(List.of(), third.jobs());
    assertTrue(third.isValid(), "said once is enough");
  }

  @Test
  void refusesAPathThatWouldConfuseIdentities() {
    Krontab krontab = new KrontabParser(DEFAULT).parse(Path.of("/etc/a\nb"), bytes(ENTRY));
    assertEquals(
        "/etc/aU+000Ab:1:1: the path of this file holds a control character; rename it",
        krontab.diagnostics().getFirst().toString());
  }

  @Test
  void readsAnEmptyFile() {
    assertTrue(parse("").isValid());
    assertTrue(parse("\n\n").isValid());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] join(byte[]... parts) {
    var all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }
}
