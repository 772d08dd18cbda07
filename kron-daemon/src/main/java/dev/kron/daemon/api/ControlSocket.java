package dev.kron.daemon.api;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Set;
import jdk.net.ExtendedSocketOptions;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.jspecify.annotations.Nullable;

/**
 * The unix socket. While its mode is not yet right, its directory keeps others out. The socket of a
 * dead daemon is removed, one that answers is not.
 */
final class ControlSocket extends ControlListener {
  /** Connections of one user, beside those who have places of their own. */
  static final int SHARE = 64;

  /**
   * The most connections of all other users together; fewer than can follow a log, so that some of
   * those are left for the owners.
   */
  static final int OTHERS = 192;

  /** The kernel's limit, without the byte that ends the path. */
  private static final int LONGEST_PATH = 107;

  private static final Set<PosixFilePermission> PRIVATE =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> SHARED =
      PosixFilePermissions.fromString("rwxr-x---");

  private final Path path;
  private final @Nullable String group;
  private @Nullable Object bound;

  /**
   * @param group who may connect beside the daemon's user and root, or null
   * @param owners the names of those two
   */
  ControlSocket(
      Server server,
      Path path,
      @Nullable String group,
      Set<String> owners,
      long requestMillis,
      ListenerLog log,
      ConnectionFactory factory) {
    super(server, new Places(owners, SHARE, OTHERS), requestMillis, log, factory);
    this.path = path;
    this.group = group;
  }

  /** The path of the socket cannot be used, or is in use. */
  static final class UnusableException extends IOException {
    private static final long serialVersionUID = 1L;

    UnusableException(String message) {
      super(message);
    }
  }

  /** Prepares the directory: it exists with its mode, and has no socket in it. */
  private void prepare() throws IOException {
    int length = path.toString().getBytes(StandardCharsets.UTF_8).length;
    if (length > LONGEST_PATH) {
      throw new UnusableException(
          "the socket's path has %s bytes, and the system takes at most %s: choose a shorter one with --socket PATH: %s"
              .formatted(length, LONGEST_PATH, path));
    }
    Path directory = path.toAbsolutePath().getParent();
    if (directory == null) {
      throw new UnusableException("no socket can be made at " + path);
    }
    prepareDirectory(directory);
    clear();
  }

  private void prepareDirectory(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Path parent = directory.getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(PRIVATE));
    }
    PosixFileAttributes found =
        Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    String self = Files.getOwner(Path.of("/proc/self")).getName();
    if (!found.isDirectory() || !found.owner().getName().equals(self)) {
      throw new UnusableException(
          "the socket's directory %s must be a directory of %s's own, and belongs to %s: choose another with --socket PATH"
              .formatted(directory, self, found.owner().getName()));
    }
    Set<PosixFilePermission> wanted = group == null ? PRIVATE : SHARED;
    // A directory with one of these two modes may be changed; any other was made for something
    // else.
    if (!found.permissions().equals(PRIVATE) && !found.permissions().equals(SHARED)) {
      throw new UnusableException(
          "the socket's directory %s has mode %s, expected %s: change it, or choose another with --socket PATH"
              .formatted(
                  directory,
                  PosixFilePermissions.toString(found.permissions()),
                  PosixFilePermissions.toString(wanted)));
    }
    if (group != null) {
      setGroup(directory, group);
    }
    if (!found.permissions().equals(wanted)) {
      Files.setPosixFilePermissions(directory, wanted);
    }
  }

  private void clear() throws IOException {
    PosixFileAttributes found;
    try {
      found = Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return;
    }
    if (!found.isOther()) {
      throw new UnusableException(
          path + " is there and is no socket: choose another --socket PATH");
    }
    if (answers(path)) {
      throw new UnusableException("another daemon answers at " + path);
    }
    Files.delete(path);
  }

  /** Whether a server listens at the path, even one that is too busy to accept. */
  static boolean answers(Path path) {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.configureBlocking(false);
      channel.connect(UnixDomainSocketAddress.of(path));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  ServerSocketChannel bind() throws IOException {
    prepare();
    var channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.bind(UnixDomainSocketAddress.of(path), BACKLOG);
      bound = key();
      // Until now the socket had the mode of the umask, and only the directory kept others out.
      if (group == null) {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
      } else {
        setGroup(path, group);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw----"));
      }
      return channel;
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /**
   * Whether the file at the path is this socket: its inode number is not given to another file
   * while it is open.
   */
  @Override
  boolean isInPlace() {
    try {
      return key().equals(bound);
    } catch (IOException e) {
      return false;
    }
  }

  private Object key() throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  @Override
  void leave() throws IOException {
    if (bound != null && isInPlace()) {
      Files.deleteIfExists(path);
    }
    bound = null;
  }

  @Override
  String user(SocketChannel peer) throws IOException {
    return peer.getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
  }

  private static void setGroup(Path path, String group) throws IOException {
    GroupPrincipal principal;
    try {
      principal =
          path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByGroupName(group);
    } catch (UserPrincipalNotFoundException e) {
      throw new UnusableException("there is no group " + group);
    }
    PosixFileAttributeView view =
        Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
    view.setGroup(principal);
  }
}
