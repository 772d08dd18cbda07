package dev.kron.store;

import dev.kron.store.DiskException.Reason;
import dev.kron.store.FileStatus.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that loses power at a chosen operation. What was not synced is then there, gone,
 * or torn; names that were not synced have changed or not, each for itself and in any order, which
 * is more than a journalling file system would do to anybody.
 */
final class PowerLossDisk implements Disk {
  /** Thrown by the operation at which power is lost, and by all that follow. */
  static final class PowerLost extends Error {
    PowerLost() {
      super("power lost", null, false, false);
    }
  }

  private static final class Node {
    final boolean directory;
    byte[] content = new byte[0];
    byte[] durable = new byte[0];

    Node(boolean directory) {
      this.directory = directory;
    }
  }

  /** Sets a name, or removes it where the node is null. */
  private record NameChange(Path name, @Nullable Node node, @Nullable Path removed) {}

  private final RandomGenerator random;
  private TreeMap<Path, Node> names = new TreeMap<>();
  private TreeMap<Path, Node> durableNames = new TreeMap<>();
  private final List<NameChange> pending = new ArrayList<>();
  private long operationsLeft = Long.MAX_VALUE;
  private boolean dead;
  private boolean locked;
  private long operations;

  PowerLossDisk(RandomGenerator random, Path root) {
    this.random = random;
    for (Path path = root; path != null; path = path.getParent()) {
      names.put(path, new Node(true));
    }
    durableNames.putAll(names);
  }

  /** Power is lost at the n-th operation from now. */
  void losePowerAt(long operation) {
    operationsLeft = operation;
  }

  long operations() {
    return operations;
  }

  private void step() {
    operations++;
    if (dead || --operationsLeft <= 0) {
      dead = true;
      throw new PowerLost();
    }
  }

  /** Power is back: what is on the platter is all there is. */
  void restart() {
    List<NameChange> survivors = new ArrayList<>();
    for (NameChange change : pending) {
      if (random.nextBoolean()) {
        survivors.add(random.nextInt(survivors.size() + 1), change);
      }
    }
    for (NameChange change : survivors) {
      apply(durableNames, change);
    }
    pending.clear();
    for (Node node : durableNames.values()) {
      node.content = platter(node);
      node.durable = node.content;
    }
    names = new TreeMap<>(durableNames);
    operationsLeft = Long.MAX_VALUE;
    dead = false;
    locked = false;
  }

  /** What was synced is there, for files only grow; what was added since may be torn. */
  private byte[] platter(Node node) {
    int synced = node.durable.length;
    int added = node.content.length - synced;
    if (added == 0) {
      return node.durable;
    }
    int cut = synced + random.nextInt(added + 1);
    return switch (random.nextInt(4)) {
      case 0 -> node.durable;
      case 1 -> node.content;
      case 2 -> Arrays.copyOf(node.content, cut);
      default -> {
        byte[] holes = node.content.clone();
        Arrays.fill(holes, cut, holes.length, (byte) 0);
        yield holes;
      }
    };
  }

  private void change(NameChange change) {
    apply(names, change);
    pending.add(change);
  }

  private static void apply(Map<Path, Node> map, NameChange change) {
    if (change.removed() != null) {
      map.remove(change.removed());
    }
    if (change.node() != null) {
      map.put(change.name(), change.node());
    }
  }

  private Node node(String operation, Path path) throws DiskException {
    Node node = names.get(path);
    if (node == null) {
      throw new DiskException(operation, path, Reason.NOT_FOUND);
    }
    return node;
  }

  @Override
  public int user() {
    return 1000;
  }

  @Override
  public synchronized @Nullable FileStatus status(Path path) {
    step();
    Node node = names.get(path);
    if (node == null) {
      return null;
    }
    return new FileStatus(
        node.directory ? Kind.DIRECTORY : Kind.FILE,
        user(),
        node.directory ? 0700 : 0600,
        node.content.length,
        node.content.length);
  }

  @Override
  public synchronized List<String> list(Path directory) throws DiskException {
    step();
    node("list", directory);
    return names.keySet().stream()
        .filter(path -> directory.equals(path.getParent()))
        .map(path -> path.getFileName().toString())
        .toList();
  }

  @Override
  public synchronized int read(Path file, long offset, byte[] buffer) throws DiskException {
    step();
    byte[] content = node("read", file).content;
    int count = (int) Math.max(0, Math.min(buffer.length, content.length - offset));
    System.arraycopy(content, (int) Math.min(offset, content.length), buffer, 0, count);
    return count;
  }

  @Override
  public synchronized Output create(Path file) throws DiskException {
    step();
    if (names.containsKey(file)) {
      throw new DiskException("create", file, Reason.EXISTS);
    }
    Node node = new Node(false);
    change(new NameChange(file, node, null));
    return new MemoryOutput(node);
  }

  @Override
  public synchronized Output append(Path file) throws DiskException {
    step();
    Node node = names.get(file);
    if (node == null) {
      return create(file);
    }
    return new MemoryOutput(node);
  }

  @Override
  public synchronized void rename(Path from, Path to) throws DiskException {
    step();
    change(new NameChange(to, node("rename", from), from));
  }

  @Override
  public synchronized void delete(Path path) throws DiskException {
    step();
    node("delete", path);
    change(new NameChange(path, null, path));
  }

  @Override
  public synchronized boolean isUnused(Path file) throws DiskException {
    step();
    return !node("look at", file).directory;
  }

  @Override
  public synchronized void createDirectory(Path directory) throws DiskException {
    step();
    if (names.containsKey(directory)) {
      throw new DiskException("create directory", directory, Reason.EXISTS);
    }
    change(new NameChange(directory, new Node(true), null));
  }

  @Override
  public synchronized void syncDirectory(Path directory) throws DiskException {
    step();
    node("sync directory", directory);
    for (NameChange change : List.copyOf(pending)) {
      if (directory.equals(change.name().getParent())) {
        apply(durableNames, change);
        pending.remove(change);
      }
    }
  }

  @Override
  public synchronized @Nullable Lock tryLock(Path directory) {
    step();
    if (locked) {
      return null;
    }
    locked = true;
    return () -> locked = false;
  }

  private final class MemoryOutput implements Output {
    private final Node node;

    MemoryOutput(Node node) {
      this.node = node;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      synchronized (PowerLossDisk.this) {
        step();
        int old = node.content.length;
        node.content = Arrays.copyOf(node.content, old + length);
        System.arraycopy(bytes, offset, node.content, old, length);
      }
    }

    @Override
    public void sync() {
      synchronized (PowerLossDisk.this) {
        step();
        node.durable = node.content;
      }
    }

    @Override
    public void close() {}
  }
}
