package dev.kron.simulation;

import dev.kron.store.Disk;
import dev.kron.store.DiskException;
import dev.kron.store.DiskException.Reason;
import dev.kron.store.FileStatus;
import dev.kron.store.FileStatus.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory with a platter. What is written can be read back at once, and is on the platter
 * only when it was synced: content by the file's sync, names by their directory's. When power is
 * lost, whatever was not synced is there, torn, full of zeros or gone; names that were not synced
 * have changed or not, each for itself and in any order, which is more than a journalling file
 * system would do to anybody. A sync that failed has lost what it was to write: the next one
 * succeeds and proves nothing.
 *
 * <p>One file, though a long one: each operation is one short method, and all of them share what is
 * on the platter and what is not yet.
 */
final class SimulatedDisk implements Disk {
  static final int USER = 1000;
  private static final int WORST_LUCK = 4;

  /** A file or a directory, which its names lead to. */
  static final class Node {
    final boolean directory;
    byte[] content = new byte[0];
    byte[] durable = new byte[0];

    /** A sync failed: what was written before it will never be durable. */
    boolean lost;

    boolean locked;
    TreeMap<String, Node> names = new TreeMap<>();
    TreeMap<String, Node> durableNames = new TreeMap<>();
    final List<NameChange> pending = new ArrayList<>();

    Node(boolean directory) {
      this.directory = directory;
    }
  }

  /**
   * A change in a directory, all of it or nothing.
   *
   * @param removed a name that is gone after it, or null
   * @param added a name that leads to {@code node} after it, or null
   */
  record NameChange(@Nullable String removed, @Nullable String added, @Nullable Node node) {
    void applyTo(Map<String, Node> names) {
      if (removed != null) {
        names.remove(removed);
      }
      if (added != null && node != null) {
        names.put(added, node);
      }
    }
  }

  private final Node root = new Node(true);

  /** Directories by their paths, for as long as no directory goes or comes back. */
  private final Map<String, Node> directories = new HashMap<>();

  private RandomGenerator random;
  private BiConsumer<Path, byte[]> durable = (path, content) -> {};
  private Predicate<Path> inUse = path -> false;
  private long operationsLeft = Long.MAX_VALUE;
  private boolean full;
  private int errorOneIn;
  private boolean syncFails;

  SimulatedDisk(RandomGenerator random, Path home) {
    this.random = random;
    Node node = root;
    for (Path name : home) {
      Node next = new Node(true);
      node.names.put(name.toString(), next);
      node.durableNames.put(name.toString(), next);
      node = next;
    }
  }

  void luck(RandomGenerator other) {
    random = other;
  }

  /** The listener is told of each file that has become durable under its name. */
  void onDurable(BiConsumer<Path, byte[]> listener) {
    durable = listener;
  }

  /** The predicate tells whether a living process has a file open to write to it. */
  void inUse(Predicate<Path> writers) {
    inUse = writers;
  }

  /** Power is lost at the n-th operation from now. */
  void losePowerAt(long operation) {
    operationsLeft = operation;
  }

  void full(boolean now) {
    full = now;
  }

  /** One operation in so many fails with an input/output error; 0: none. */
  void errorOneIn(int operations) {
    errorOneIn = operations;
  }

  /** Whether fsync fails. */
  void syncFails(boolean now) {
    syncFails = now;
  }

  boolean troubled() {
    return full || errorOneIn > 0 || syncFails;
  }

  void heal() {
    full = false;
    errorOneIn = 0;
    syncFails = false;
    operationsLeft = Long.MAX_VALUE;
  }

  private void step(String operation, Path path) throws DiskException {
    if (--operationsLeft <= 0) {
      throw new PowerLost();
    }
    if (errorOneIn > 0 && random.nextInt(errorOneIn) == 0) {
      throw new DiskException(operation, path, Reason.INPUT_OUTPUT);
    }
  }

  private void room(String operation, Path path) throws DiskException {
    if (full) {
      throw new DiskException(operation, path, Reason.NO_SPACE);
    }
  }

  /** Power is back: what is on the platter is all there is. */
  void restart() {
    operationsLeft = Long.MAX_VALUE;
    directories.clear();
    settle(root);
  }

  private void settle(Node node) {
    node.locked = false;
    if (!node.directory) {
      node.content = platter(node);
      node.durable = node.content;
      node.lost = false;
      return;
    }
    List<NameChange> survivors = new ArrayList<>();
    for (NameChange change : node.pending) {
      if (random.nextBoolean()) {
        survivors.add(random.nextInt(survivors.size() + 1), change);
      }
    }
    survivors.forEach(change -> change.applyTo(node.durableNames));
    node.pending.clear();
    node.names = new TreeMap<>(node.durableNames);
    node.names.values().forEach(this::settle);
  }

  /**
   * The content after a loss of power: what was synced is there, for files only grow; what was
   * added since may be torn.
   */
  private byte[] platter(Node node) {
    int synced = node.durable.length;
    int added = node.content.length - synced;
    if (added <= 0) {
      return node.durable;
    }
    int cut = synced + random.nextInt(added + 1);
    return switch (random.nextInt(WORST_LUCK)) {
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

  private @Nullable Node find(Path path) {
    String text = path.toString();
    int slash = text.lastIndexOf('/');
    Node directory = directory(text.substring(0, Math.max(slash, 0)));
    return directory == null || slash + 1 == text.length()
        ? directory
        : directory.names.get(text.substring(slash + 1));
  }

  private @Nullable Node directory(String path) {
    Node known = path.isEmpty() ? root : directories.get(path);
    if (known != null) {
      return known;
    }
    int slash = path.lastIndexOf('/');
    Node above = directory(path.substring(0, slash));
    Node found = above == null ? null : above.names.get(path.substring(slash + 1));
    if (found != null && found.directory) {
      directories.put(path, found);
    }
    return found;
  }

  private Node existing(String operation, Path path) throws DiskException {
    Node node = find(path);
    if (node == null) {
      throw new DiskException(operation, path, Reason.NOT_FOUND);
    }
    return node;
  }

  private Node parent(String operation, Path path) throws DiskException {
    String text = path.toString();
    Node directory = directory(text.substring(0, text.lastIndexOf('/')));
    if (directory == null) {
      throw new DiskException(operation, path, Reason.NOT_FOUND);
    }
    return directory;
  }

  private static String name(Path path) {
    String text = path.toString();
    return text.substring(text.lastIndexOf('/') + 1);
  }

  private void change(Node directory, NameChange change) {
    Node removed = change.removed() == null ? null : directory.names.get(change.removed());
    if (removed != null && removed.directory) {
      directories.clear();
    }
    change.applyTo(directory.names);
    directory.pending.add(change);
  }

  @Override
  public int user() {
    return USER;
  }

  @Override
  public @Nullable FileStatus status(Path path) throws DiskException {
    step("look at", path);
    Node node = find(path);
    return node == null
        ? null
        : new FileStatus(
            node.directory ? Kind.DIRECTORY : Kind.FILE,
            USER,
            node.directory ? 0700 : 0600,
            node.content.length,
            node.content.length);
  }

  @Override
  public List<String> list(Path directory) throws DiskException {
    step("list", directory);
    return List.copyOf(existing("list", directory).names.keySet());
  }

  @Override
  public int read(Path file, long offset, byte[] buffer) throws DiskException {
    step("read", file);
    byte[] content = existing("read", file).content;
    int count = (int) Math.max(0, Math.min(buffer.length, content.length - offset));
    System.arraycopy(content, (int) Math.min(offset, content.length), buffer, 0, count);
    return count;
  }

  /** All of a file, null: there is none. */
  byte @Nullable [] read(Path file) throws DiskException {
    step("read", file);
    return content(file);
  }

  @Override
  public Output create(Path file) throws DiskException {
    step("create", file);
    Node directory = parent("create", file);
    if (directory.names.containsKey(name(file))) {
      throw new DiskException("create", file, Reason.EXISTS);
    }
    room("create", file);
    Node node = new Node(false);
    change(directory, new NameChange(null, name(file), node));
    return new Writing(file, node);
  }

  @Override
  public Output append(Path file) throws DiskException {
    Node node = find(file);
    if (node == null) {
      return create(file);
    }
    step("append to", file);
    return new Writing(file, node);
  }

  @Override
  public void rename(Path from, Path to) throws DiskException {
    step("rename", from);
    Node node = existing("rename", from);
    change(parent("rename", from), new NameChange(name(from), name(to), node));
  }

  @Override
  public void delete(Path path) throws DiskException {
    step("delete", path);
    Node node = existing("delete", path);
    if (node.directory && !node.names.isEmpty()) {
      throw new DiskException("delete", path, Reason.NOT_EMPTY);
    }
    change(parent("delete", path), new NameChange(name(path), null, null));
  }

  @Override
  public boolean deleteUnused(Path file) throws DiskException {
    step("delete", file);
    Node node = existing("delete", file);
    if (node.directory || node.content.length > 0 || inUse.test(file)) {
      return false;
    }
    change(parent("delete", file), new NameChange(name(file), null, null));
    return true;
  }

  @Override
  public void createDirectory(Path directory) throws DiskException {
    step("create directory", directory);
    Node parent = parent("create directory", directory);
    if (parent.names.containsKey(name(directory))) {
      throw new DiskException("create directory", directory, Reason.EXISTS);
    }
    room("create directory", directory);
    change(parent, new NameChange(null, name(directory), new Node(true)));
  }

  @Override
  public void syncDirectory(Path directory) throws DiskException {
    step("sync directory", directory);
    Node node = existing("sync directory", directory);
    if (syncFails) {
      throw new DiskException("sync directory", directory, Reason.INPUT_OUTPUT);
    }
    List<NameChange> changes = List.copyOf(node.pending);
    node.pending.clear();
    changes.forEach(change -> change.applyTo(node.durableNames));
    for (NameChange change : changes) {
      Node added = change.node();
      if (change.added() != null && added != null && !added.directory) {
        durable.accept(directory.resolve(change.added()), added.durable);
      }
    }
  }

  @Override
  public @Nullable Lock tryLock(Path directory) throws DiskException {
    step("lock", directory);
    Node node = existing("lock", directory);
    if (node.locked) {
      return null;
    }
    node.locked = true;
    return new Lock() {
      @Override
      public boolean isInPlace() {
        return find(directory) == node;
      }

      @Override
      public void close() {
        node.locked = false;
      }
    };
  }

  /** The holders of locks are dead. */
  void unlock(Path directory) {
    Node node = find(directory);
    if (node != null) {
      node.locked = false;
    }
  }

  /** Makes a file whole or not at all, as a link to a draft does. */
  void link(Path file, byte[] content) throws DiskException {
    create(file).close();
    existing("create", file).content = content.clone();
  }

  /** Makes an empty file where there is none, if that is possible. Costs no operation. */
  void touch(Path file) {
    String text = file.toString();
    Node directory = directory(text.substring(0, text.lastIndexOf('/')));
    if (directory != null && !full && !directory.names.containsKey(name(file))) {
      change(directory, new NameChange(null, name(file), new Node(false)));
    }
  }

  /** Adds to a file within the room that it has: cannot fail. */
  void grow(Path file, byte[] more) {
    if (--operationsLeft <= 0) {
      throw new PowerLost();
    }
    Node node = find(file);
    if (node != null) {
      int old = node.content.length;
      node.content = Arrays.copyOf(node.content, old + more.length);
      System.arraycopy(more, 0, node.content, old, more.length);
    }
  }

  /**
   * The content that can be read now; null: no such file. Costs no operation: for those who look
   * on.
   */
  byte @Nullable [] content(Path file) {
    Node node = find(file);
    return node == null || node.directory ? null : node.content;
  }

  /** The content that is on the platter under this name, whatever happens now; null: none. */
  byte @Nullable [] platter(Path file) {
    Node node = root;
    for (Path name : file) {
      node = node.durableNames.get(name.toString());
      if (node == null) {
        return null;
      }
    }
    return node.durable;
  }

  /** The names in a directory. Costs no operation. */
  List<String> names(Path directory) {
    Node node = find(directory);
    return node == null ? List.of() : List.copyOf(node.names.keySet());
  }

  /** A file goes bad, or somebody puts another one in its place, durably. */
  void replace(Path file, byte[] content) {
    Node node = find(file);
    if (node != null) {
      node.content = content;
      node.durable = content;
    }
  }

  /** A file or a directory, with all that is in it, is there no more, durably; whether it was. */
  boolean vanish(Path path) {
    String text = path.toString();
    Node parent = directory(text.substring(0, text.lastIndexOf('/')));
    String name = name(path);
    if (parent == null || parent.names.remove(name) == null) {
      return false;
    }
    parent.durableNames.remove(name);
    parent.pending.removeIf(change -> name.equals(change.added()) && change.removed() == null);
    parent.pending.replaceAll(
        change ->
            name.equals(change.added()) ? new NameChange(change.removed(), null, null) : change);
    directories.clear();
    return true;
  }

  private final class Writing implements Output {
    private final Path file;
    private final Node node;

    Writing(Path file, Node node) {
      this.file = file;
      this.node = node;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws DiskException {
      step("write", file);
      int written = full ? random.nextInt(length + 1) : length;
      int old = node.content.length;
      if (old == 0) {
        node.content = Arrays.copyOfRange(bytes, offset, offset + written);
      } else {
        node.content = Arrays.copyOf(node.content, old + written);
        System.arraycopy(bytes, offset, node.content, old, written);
      }
      room("write", file);
    }

    @Override
    public void sync() throws DiskException {
      step("sync", file);
      if (syncFails) {
        node.lost = true;
        throw new DiskException("sync", file, Reason.INPUT_OUTPUT);
      }
      if (!node.lost) {
        node.durable = node.content;
      }
    }

    @Override
    public void close() {}
  }
}
