package dev.kron.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.line.ManPage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManPagesTest {
  @TempDir Path directory;

  @Test
  void thereIsAPageForEveryCommand() throws Exception {
    ManPages.write(directory, "1.2.3");
    String overview = Files.readString(directory.resolve("man1/kron.1"));
    for (String name : Commands.everything().names()) {
      String page = Files.readString(directory.resolve("man1/kron-" + name + ".1"));
      assertTrue(page.contains(".SH \"Synopsis\""), name);
      assertTrue(page.contains("kron 1.2.3"), name);
      assertTrue(overview.contains("kron " + name.replace("-", "\\-")), name);
    }
    assertTrue(Files.readString(directory.resolve("man8/krond.8")).contains("\\-\\-state"));
  }

  @Test
  void nothingInATextIsTakenForARequest() {
    String page =
        new ManPage("a-b", 1, "1", "c")
            .paragraph(".SH it's \\fBbold\\fR")
            .item("say \"x\"", "'quoted'")
            .seeAlso(List.of("d(1)"))
            .toString();
    assertEquals(
        """
        .TH "A\\-B" "1" "" "kron 1" "Kron"
        .SH "Name"
        a\\-b \\- c
        .PP
        \\&.SH it\\(aqs \\efBbold\\efR
        .TP
        .B "say \\(dqx\\(dq"
        \\&\\(aqquoted\\(aq
        .SH "See also"
        \\&d(1)
        """,
        page);
  }
}
