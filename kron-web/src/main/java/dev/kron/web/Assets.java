package dev.kron.web;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The files of the page, out of this program's own jar. Nothing is kept: a browser keeps what it
 * has, since the name of a file says what is in it.
 */
public final class Assets {
  /** The directory of the packed files, below the class path's root. */
  public static final String DIRECTORY = "dev/kron/web/assets";

  private static final String INDEX = "/index.html";

  /** No part of a path begins with a dot. */
  private static final Pattern PATH = Pattern.compile("(/[a-z0-9_@-][a-z0-9._@-]*)+");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "png", "image/png",
          "woff2", "font/woff2");

  private Assets() {}

  /**
   * A file.
   *
   * @param type its media type
   * @param gzip its content, compressed
   * @param immutable whether what this path means never changes
   */
  public record Asset(String type, ByteBuffer gzip, boolean immutable) {}

  /**
   * The file at a path, null where there is none.
   *
   * @param path of a request; {@code /} is the page itself
   */
  public static @Nullable Asset find(String path) throws IOException {
    String name = path.equals("/") ? INDEX : path;
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type == null || !PATH.matcher(name).matches()) {
      return null;
    }
    try (InputStream in =
        Assets.class.getClassLoader().getResourceAsStream(DIRECTORY + name + ".gz")) {
      return in == null
          ? null
          : new Asset(type, ByteBuffer.wrap(in.readAllBytes()), !name.equals(INDEX));
    }
  }
}
