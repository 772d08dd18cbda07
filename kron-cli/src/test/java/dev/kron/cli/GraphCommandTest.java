package dev.kron.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.cli.Call.Result;
import dev.kron.cli.graph.Drawing;
import dev.kron.cli.graph.GraphSvg;
import dev.kron.cli.graph.GraphText;
import dev.kron.cli.line.ExitCode;
import dev.kron.cli.output.Output;
import dev.kron.cli.output.Output.Look;
import dev.kron.config.Account;
import dev.kron.config.ConfigFiles;
import dev.kron.config.KrontabParser;
import dev.kron.config.ServiceFile;
import dev.kron.service.ServiceGraph;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class GraphCommandTest {
  private static final long SEED = Long.getLong("kron.seed", 20261115L);

  @TempDir Path directory;

  private Result graph(String... words) {
    String[] all = new String[words.length + 1];
    all[0] = "graph";
    System.arraycopy(words, 0, all, 1, words.length);
    return new Call().in(directory).run(all);
  }

  @Test
  void drawsWhichJobsFollowWhich() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("a.kron"),
            """
            0 2 * * * name=dump command=/bin/true then="load report"
            @manual name=load command=/bin/true then=report
            @manual name=report command=/bin/true
            0 3 * * * name=alone command=/bin/true
            """);
    String text = graph("--jobs", file.toString()).out();
    assertEquals(
        """
        %1$s:dump
          then %1$s:load
            then %1$s:report
          then %1$s:report
        """
            .formatted(file),
        text);
    assertTrue(
        graph("--jobs", file.toString(), "--format", "dot")
            .out()
            .contains("\"%1$s:load\" -> \"%1$s:report\";".formatted(file)));
  }

  private void service(String name, String relations) throws IOException {
    Files.writeString(
        directory.resolve(name + ".toml"),
        "[service]\nexec = \"/bin/true\"\n[dependencies]\n" + relations + "\n");
  }

  private ServiceGraph read() {
    return ServiceGraph.of(
        ConfigFiles.read(
                List.of(directory),
                ConfigFiles.Settings.of(Account.current()).withSecure(false),
                KrontabParser.Settings.DEFAULT)
            .services()
            .stream()
            .map(ServiceFile::service)
            .filter(Objects::nonNull)
            .toList());
  }

  @Test
  void unfoldsWhatIsNeededOnce() throws IOException {
    service("db", "");
    service("api", "requires = [\"db\"]");
    service("web", "requires = [\"api\"]\nafter = [\"db\"]");
    service("worker", "requires = [\"api\"]\nconflicts = [\"web\"]");
    assertEquals(
        """
        [-] web
        ├─ [-] api
        │  └─ [-] db
        └─ [-] db (before it)
        [-] worker
        ├─ [-] api (see above)
        └─ [-] web (conflicts)
        """,
        graph(".").out());
  }

  @Test
  void drawsThoseThatWantEachOther() throws IOException {
    service("a", "wants = [\"b\"]");
    service("b", "wants = [\"a\"]");
    assertEquals("[-] a\n└─ [-] b (wanted)\n   └─ [-] a (wanted, see above)\n", graph(".").out());
  }

  @Test
  void showsStatesByTheirSymbols() throws IOException {
    service("db", "");
    service("web", "requires = [\"db\"]");
    var bytes = new ByteArrayOutputStream();
    Output out = new Output(bytes, new Look(80, false, false));
    new GraphText(new Drawing(read(), Map.of("db", "[+]", "web", "[X]")), out).print();
    out.flush();
    assertEquals("[X] web\n`- [+] db\n", bytes.toString(UTF_8));
  }

  @Test
  void refusesWhatTheDaemonWouldRefuse() throws IOException {
    service("a", "requires = [\"b\"]");
    Result result = graph(".");
    assertEquals(ExitCode.REFUSED, result.code());
    assertTrue(result.err().contains("there is no such service"), result.err());
    assertEquals(ExitCode.UNREADABLE, graph("none.toml").code());
  }

  @Test
  void saysThatThereAreNone() {
    assertEquals(new Result(ExitCode.OK, "no services\n", ""), graph("."));
  }

  /** Random graphs: well-formed, every service in it once, no two boxes over each other. */
  @Test
  void drawsPicturesWithoutOverlaps() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 5; round++) {
      int count = 1 + random.nextInt(40);
      for (int i = 0; i < count; i++) {
        service("s-" + i, relations(random, i));
      }
      var bytes = new ByteArrayOutputStream();
      Output out = new Output(bytes, Look.PLAIN);
      new GraphSvg(new Drawing(read(), Map.of("s-0", "[>]")), out).print();
      out.flush();
      check(bytes.toByteArray(), count, "-Dkron.seed=" + SEED + ", round " + round);
      for (int i = 0; i < count; i++) {
        Files.delete(directory.resolve("s-" + i + ".toml"));
      }
    }
  }

  private static String relations(SplittableRandom random, int number) {
    List<String> requires = new ArrayList<>();
    List<String> wants = new ArrayList<>();
    for (int i = 0; number > 0 && i < random.nextInt(4); i++) {
      (random.nextBoolean() ? requires : wants).add("\"s-" + random.nextInt(number) + "\"");
    }
    return "requires = " + new HashSet<>(requires) + "\nwants = " + new HashSet<>(wants);
  }

  private static void check(byte[] svg, int count, String where) throws Exception {
    Document document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg));
    NodeList boxes = document.getElementsByTagName("rect");
    assertEquals(count, boxes.getLength(), where);
    double width = Double.parseDouble(document.getDocumentElement().getAttribute("width"));
    double height = Double.parseDouble(document.getDocumentElement().getAttribute("height"));
    List<double[]> places = new ArrayList<>();
    for (int i = 0; i < boxes.getLength(); i++) {
      Element box = (Element) boxes.item(i);
      double x = Double.parseDouble(box.getAttribute("x"));
      double y = Double.parseDouble(box.getAttribute("y"));
      assertTrue(x >= 0 && x + 168 <= width && y >= 0 && y + 44 <= height, where);
      for (double[] other : places) {
        assertFalse(x == other[0] && Math.abs(y - other[1]) < 44, where);
      }
      places.add(new double[] {x, y});
    }
    Set<String> classes = new HashSet<>();
    NodeList groups = document.getElementsByTagName("g");
    for (int i = 0; i < groups.getLength(); i++) {
      classes.add(((Element) groups.item(i)).getAttribute("class"));
    }
    assertTrue(classes.contains("starting"), where);
  }
}
