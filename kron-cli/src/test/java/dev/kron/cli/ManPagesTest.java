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
  private static final Path DOCS = Path.of(System.getProperty("kron.root", "..")).resolve("docs");

  @TempDir Path directory;

  @Test
  void thereIsAPageForEveryCommand() throws Exception {
    ManPages.write(directory, DOCS, "1.2.3");
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
  void theFormatsOfFilesHavePagesMadeOfTheDocumentation() throws Exception {
    ManPages.write(directory, DOCS, "1.2.3");
    String krontab = Files.readString(directory.resolve("man5/krontab.5"));
    assertTrue(krontab.contains("\n.SH \"The fields\"\n"), krontab);
    assertTrue(krontab.contains("\n.TP\n\\&\\fBumask\\fR\n\\&octal, "), krontab);
    assertTrue(krontab.contains("; without it: krond"), krontab);
    String service = Files.readString(directory.resolve("man5/kron.service.5"));
    assertTrue(service.contains("\\fBstop_signal\\fR"), service);
  }

  @Test
  void markdownBecomesRequestsAndNothingElseDoes() {
    String page =
        new ManPage("a", 5, "1", "b")
            .markdown(
                """
                # Title

                Some `.code` and **bold**, [a link](x.md)
                .TH that goes on.

                ## Part
                - one
                  more
                - *two*

                | field | value | without it |
                | --- | --- | --- |
                | `a` | x \\| y | none |

                ```
                .SH "it's"
                ```
                    indented
                """)
            .toString();
    assertEquals(
        """
        .TH "A" "5" "" "kron 1" "Kron"
        .SH "Name"
        a \\- b
        .PP
        \\&Some \\fB.code\\fR and \\fBbold\\fR, a link .TH that goes on.
        .SH "Part"
        .IP \\(bu 2
        \\&one more
        .IP \\(bu 2
        \\&\\fItwo\\fR
        .TP
        \\&\\fBa\\fR
        \\&x | y; without it: none
        .PP
        .RS 4
        .nf
        \\&.SH "it\\(aqs"
        .fi
        .RE
        .PP
        .RS 4
        .nf
        \\&indented
        .fi
        .RE
        """,
        page);
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
