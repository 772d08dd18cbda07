package dev.kron.daemon.web;

import dev.kron.store.AtomicFiles;
import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The file of sessions that survive the daemon: {@code dashboard} in the state directory, readable
 * by its owner only. First the port, then a line for each session: {@code <id> <uid> <began> <used>
 * <origin> <hash of its key>}, times in epoch seconds. Without the file users open a new link;
 * nothing else needs it.
 */
final class SessionFile {
  static final String NAME = "dashboard";
  private static final String FORMAT = "kron-dashboard 1 ";
  private static final int MOST_BYTES = 1 << 20;

  private final Path file;
  private final Disk disk;
  private final AtomicFiles files;

  /** The contents of the file. */
  record Kept(int port, List<KeptSession> sessions) {
    static final Kept NOTHING = new Kept(0, List.of());

    Kept {
      sessions = List.copyOf(sessions);
    }
  }

  /**
   * A session.
   *
   * @param began epoch second
   * @param used epoch second
   * @param key in hexadecimal digits
   */
  record KeptSession(String id, int uid, long began, long used, String origin, String key) {
    byte[] keyBytes() {
      return HexFormat.of().parseHex(key);
    }
  }

  SessionFile(Path state, Disk disk) {
    this.file = state.resolve(NAME);
    this.disk = disk;
    this.files = new AtomicFiles(disk);
  }

  boolean exists() {
    try {
      return disk.status(file) != null;
    } catch (DiskException e) {
      return false;
    }
  }

  /** Reads the file; empty if there is none. Unknown lines are skipped. */
  Kept read() throws DiskException {
    if (!exists()) {
      return Kept.NOTHING;
    }
    String text = new String(files.read(file, MOST_BYTES), StandardCharsets.UTF_8);
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.getFirst().startsWith(FORMAT)) {
      return Kept.NOTHING;
    }
    var sessions = new ArrayList<KeptSession>();
    try {
      int port = Integer.parseInt(lines.getFirst().substring(FORMAT.length()));
      for (String line : lines.subList(1, lines.size())) {
        String[] words = line.split(" ", -1);
        if (words.length == 6 && words[5].length() == 2 * RandomSecrets.KEY_BYTES) {
          HexFormat.of().parseHex(words[5]);
          sessions.add(
              new KeptSession(
                  words[0],
                  Integer.parseInt(words[1]),
                  Long.parseLong(words[2]),
                  Long.parseLong(words[3]),
                  words[4],
                  words[5]));
        }
      }
      return new Kept(port, sessions);
    } catch (IllegalArgumentException e) {
      return Kept.NOTHING; // damaged: nobody can say what of it is true
    }
  }

  void write(Kept kept) throws DiskException {
    var text = new StringBuilder(FORMAT).append(kept.port).append('\n');
    for (KeptSession session : kept.sessions) {
      text.append(
          "%s %s %s %s %s %s\n"
              .formatted(
                  session.id,
                  session.uid,
                  session.began,
                  session.used,
                  session.origin,
                  session.key));
    }
    files.replace(file, text.toString().getBytes(StandardCharsets.UTF_8));
  }

  void remove() throws DiskException {
    if (exists()) {
      disk.delete(file);
    }
  }
}
