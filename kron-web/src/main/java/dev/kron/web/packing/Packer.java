package dev.kron.web.packing;

import dev.kron.web.Assets;
import dev.kron.web.packing.References.Kind;
import dev.kron.web.packing.References.Reference;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Packs a page. Beginning with {@code index.html} it follows whatever a file refers to, gives each
 * file a name with the hash of its content, and leads all references to these names. The page names
 * everything that its first script needs, each with its hash, so that a browser loads it at once
 * and runs nothing else under these names.
 *
 * <p>Packing fails where something would not work under a strict policy, or would not be small.
 */
final class Packer {
  private static final String INDEX = "index.html";
  private static final String LIBRARY = "lib/";
  private static final int MOST_BYTES = 250 * 1024;
  private static final int HASH_CHARACTERS = 12;

  private final Path sources;
  private final Libraries libraries;
  private final Map<String, Packed> packed = new LinkedHashMap<>();
  private final Deque<String> underWay = new ArrayDeque<>();

  /** A file as it is served. */
  private static final class Packed {
    /** The file's name, with its hash. */
    final String name;

    /** Its hash, as a page names it. */
    final String integrity;

    final byte[] gzip;

    /** Files that are imported before this one runs, and what these need. */
    final Set<String> needs;

    Packed(String name, byte[] content, Set<String> needs) throws IOException {
      this.name = name;
      this.integrity = "sha256-" + Base64.getEncoder().encodeToString(sha256(content));
      this.gzip = gzip(content);
      this.needs = needs;
    }
  }

  /** The page cannot be packed; the message says why. */
  static final class PackingException extends IOException {
    private static final long serialVersionUID = 1L;

    PackingException(String message) {
      super(message);
    }
  }

  private Packer(Path sources, Libraries libraries) {
    this.sources = sources;
    this.libraries = libraries;
  }

  /** Arguments: the directory of the sources, and the root of the classes. */
  public static void main(String[] arguments) throws IOException {
    try {
      Map<String, byte[]> files =
          pack(Path.of(arguments[0]), Libraries.on(System.getProperty("java.class.path")));
      write(files, Path.of(arguments[1]).resolve(Assets.DIRECTORY));
    } catch (PackingException e) {
      System.err.println("The page cannot be packed: " + e.getMessage());
      System.exit(1);
    }
  }

  /** The files to serve, compressed, by name. */
  static Map<String, byte[]> pack(Path sources, Libraries libraries) throws IOException {
    var packer = new Packer(sources, libraries);
    packer.pack(INDEX);
    packer.refuseOrphans();
    Map<String, byte[]> files = new TreeMap<>();
    int bytes = 0;
    for (Packed file : packer.packed.values()) {
      files.put(file.name, file.gzip);
      bytes += file.gzip.length;
    }
    if (bytes > MOST_BYTES) {
      throw new PackingException(
          "it has %s bytes compressed, and at most %s are allowed".formatted(bytes, MOST_BYTES));
    }
    return files;
  }

  private Packed pack(String path) throws IOException {
    Packed present = packed.get(path);
    if (present != null) {
      return present;
    }
    if (underWay.contains(path)) {
      throw new PackingException(path + " imports itself, by way of " + underWay.peekLast());
    }
    underWay.addLast(path);
    byte[] content = read(path);
    Set<String> needs = new LinkedHashSet<>();
    if (isText(path)) {
      String text = new String(content, StandardCharsets.UTF_8);
      refuseInline(path, text);
      Map<String, String> names = new HashMap<>();
      for (Reference reference : References.in(path, text)) {
        String target = resolve(path, reference.target());
        Packed other = pack(target);
        names.put(reference.target(), "/" + other.name);
        if (reference.kind() == Kind.IMPORT) {
          needs.addAll(other.needs);
          needs.add(target);
        }
      }
      text = References.replace(path, text, target -> names.getOrDefault(target, target));
      if (path.equals(INDEX)) {
        text = announce(text, needs);
      }
      content = text.getBytes(StandardCharsets.UTF_8);
    }
    underWay.removeLast();
    var made = new Packed(name(path, content), content, needs);
    packed.put(path, made);
    return made;
  }

  private static boolean isText(String path) {
    return path.endsWith(".html") || path.endsWith(".js") || path.endsWith(".css");
  }

  private static void refuseInline(String path, String text) throws PackingException {
    String inline = path.startsWith(LIBRARY) ? null : References.inline(path, text);
    if (inline != null) {
      throw new PackingException(path + " has inline code or style: " + inline);
    }
  }

  private byte[] read(String path) throws IOException {
    if (path.startsWith(LIBRARY)) {
      String text = libraries.read(path.substring(LIBRARY.length()));
      if (text != null) {
        return text.getBytes(StandardCharsets.UTF_8);
      }
    } else if (Files.isRegularFile(sources.resolve(path))) {
      return Files.readAllBytes(sources.resolve(path));
    }
    String from = underWay.size() < 2 ? "the build" : underWay.stream().toList().reversed().get(1);
    throw new PackingException(from + " refers to " + path + ", which does not exist");
  }

  private String resolve(String from, String target) throws PackingException {
    boolean script = from.endsWith(".js");
    if (script && !target.startsWith(".")) {
      String path = libraries.path(target);
      if (path == null) {
        throw new PackingException(from + " imports " + target + ", which no library is called");
      }
      return LIBRARY + path;
    }
    Path resolved = Path.of("/" + from).resolveSibling(target).normalize();
    return resolved.toString().substring(1);
  }

  private static String name(String path, byte[] content) {
    if (path.equals(INDEX)) {
      return path;
    }
    int dot = path.lastIndexOf('.');
    String hash = HexFormat.of().formatHex(sha256(content)).substring(0, HASH_CHARACTERS);
    return path.substring(0, dot) + "-" + hash + path.substring(dot);
  }

  /** Names what the page needs, with hashes: browsers load it at once, and nothing else. */
  private String announce(String text, Set<String> needs) {
    var links = new StringBuilder();
    String page = text;
    for (String path : needs) {
      Packed file = packed(path);
      String reference = "=\"/" + file.name + "\"";
      String checked = reference + " integrity=\"" + file.integrity + "\"";
      if (page.contains(reference)) {
        page = path.endsWith(".svg") ? page : page.replace(reference, checked);
      } else if (path.endsWith(".js")) {
        links.append("  <link rel=\"modulepreload\" href").append(checked).append(">\n");
      }
    }
    return page.replace("</head>", links + "</head>");
  }

  private Packed packed(String path) {
    Packed file = packed.get(path);
    if (file == null) {
      throw new IllegalStateException(path);
    }
    return file;
  }

  private void refuseOrphans() throws IOException {
    try (Stream<Path> files = Files.walk(sources)) {
      var orphans = new TreeSet<String>();
      files
          .filter(Files::isRegularFile)
          .map(file -> sources.relativize(file).toString())
          .forEach(orphans::add);
      orphans.removeAll(packed.keySet());
      if (!orphans.isEmpty()) {
        throw new PackingException("nobody refers to " + String.join(", ", orphans));
      }
    }
  }

  private static void write(Map<String, byte[]> files, Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      try (Stream<Path> old = Files.walk(directory)) {
        for (Path file : old.filter(Files::isRegularFile).toList()) {
          Files.delete(file);
        }
      }
    }
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path target = directory.resolve(file.getKey() + ".gz");
      Files.createDirectories(target.getParent());
      Files.write(target, file.getValue());
    }
  }

  private static byte[] gzip(byte[] content) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new Gzip(bytes)) {
      out.write(content);
    }
    return bytes.toByteArray();
  }

  private static final class Gzip extends GZIPOutputStream {
    Gzip(ByteArrayOutputStream out) throws IOException {
      super(out);
      def.setLevel(Deflater.BEST_COMPRESSION);
    }
  }

  private static byte[] sha256(byte[] content) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(content);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
