package dev.kron.scheduler;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that loses on a power failure what real ones lose: bytes that were not synced,
 * in part and with holes, and changes of the directory after some point. It can be told to fail, or
 * to lose power, at its n-th operation.
 */
final class SimulatedDisk implements FileStoreDisk {
  /** Thrown where the power fails. */
  static final class PowerFailure extends Error {
    private static final long serialVersionUID = 1L;
  }

  private static final class Contents {
    byte[] bytes = new byte[0];
    int synced;
  }

  private Map<String, Contents> now = new HashMap<>();
  private Map<String, Contents> durable = new HashMap<>();
  private final List<Map<String, Contents>> notSynced = new ArrayList<>();

  int operations;
  int fsyncs;
  long bytesWritten;
  int failAt = -1;
  int powerFailsAt = -1;

  private void operation() throws IOException {
    operations++;
    if (operations == failAt) {
      throw new IOException("input/output error, as planned");
    }
    if (operations >= powerFailsAt && powerFailsAt >= 0) {
      throw new PowerFailure();
    }
  }

  private void directoryChanged() {
    notSynced.add(Map.copyOf(now));
  }

  /** What another boot finds. */
  void restart(RandomGenerator random) {
    int kept = random.nextInt(notSynced.size() + 1);
    now = new HashMap<>(kept == 0 ? durable : notSynced.get(kept - 1));
    for (Contents file : now.values()) {
      int tail = file.bytes.length - file.synced;
      int length = file.synced + (tail == 0 ? 0 : random.nextInt(tail + 1));
      if (length > file.synced && random.nextBoolean()) {
        int hole = file.synced + random.nextInt(length - file.synced);
        Arrays.fill(file.bytes, hole, Math.min(length, hole + 64), (byte) 0);
      }
      file.bytes = Arrays.copyOf(file.bytes, length);
      file.synced = length;
    }
    durable = new HashMap<>(now);
    notSynced.clear();
    failAt = -1;
    powerFailsAt = -1;
    operations = 0;
  }

  Set<String> names() {
    return new TreeSet<>(now.keySet());
  }

  byte @Nullable [] contents(String name) {
    Contents file = now.get(name);
    return file == null ? null : file.bytes;
  }

  void put(String name, byte[] bytes) {
    Contents file = new Contents();
    file.bytes = bytes;
    file.synced = bytes.length;
    now.put(name, file);
    durable.put(name, file);
  }

  void remove(String name) {
    now.remove(name);
    durable.remove(name);
  }

  private static String name(Path file) {
    return String.valueOf(file.getFileName());
  }

  private Contents file(Path file) throws IOException {
    Contents contents = now.get(name(file));
    if (contents == null) {
      throw new IOException("no such file: " + file);
    }
    return contents;
  }

  @Override
  public boolean exists(Path file) {
    return now.containsKey(name(file));
  }

  @Override
  public byte[] read(Path file) throws IOException {
    return file(file).bytes.clone();
  }

  @Override
  public List<String> list(Path directory) {
    return List.copyOf(names());
  }

  @Override
  public Appender create(Path file) throws IOException {
    operation();
    Contents contents = new Contents();
    now.put(name(file), contents);
    directoryChanged();
    return new Appender() {
      @Override
      public void write(ByteBuffer bytes) throws IOException {
        byte[] more = new byte[bytes.remaining()];
        bytes.get(more);
        int written = more.length;
        try {
          operation();
        } catch (IOException | PowerFailure half) {
          written = more.length / 2;
          throw half;
        } finally {
          int size = contents.bytes.length;
          contents.bytes = Arrays.copyOf(contents.bytes, size + written);
          System.arraycopy(more, 0, contents.bytes, size, written);
          bytesWritten += written;
        }
      }

      @Override
      public void sync() throws IOException {
        operation();
        fsyncs++;
        contents.synced = contents.bytes.length;
      }

      @Override
      public boolean inPlace() {
        return now.get(name(file)) == contents;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    operation();
    Contents contents = file(from);
    now.remove(name(from));
    now.put(name(to), contents);
    directoryChanged();
  }

  @Override
  public void link(Path file, Path secondName) throws IOException {
    operation();
    now.put(name(secondName), file(file));
    directoryChanged();
  }

  @Override
  public void delete(Path file) throws IOException {
    operation();
    now.remove(name(file));
    directoryChanged();
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    operation();
    durable = new HashMap<>(now);
    notSynced.clear();
  }
}
