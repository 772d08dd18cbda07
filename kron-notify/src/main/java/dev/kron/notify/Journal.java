package dev.kron.notify;

import java.io.IOException;
import java.util.List;

/**
 * A file of lines that is durable when a method returns, and of which nothing is known when one
 * throws.
 */
public interface Journal {
  /** All lines; none where there is no file. */
  List<String> read() throws IOException;

  /** Whether the file is as this journal left it: nobody has removed or changed it. */
  boolean isIntact() throws IOException;

  void append(List<String> lines) throws IOException;

  /** Puts these in the place of all that is there. */
  void replace(List<String> lines) throws IOException;

  /** Keeps a copy of what is there under another name: it cannot be read. */
  void keepAside() throws IOException;
}
