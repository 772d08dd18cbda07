package dev.kron.scheduler;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.Stream;

/** The real disk. */
final class FileSystemDisk implements FileStoreDisk {
  /** Directories can be neither opened nor synced on Windows, which journals its metadata. */
  private static final boolean DIRECTORIES_SYNC = File.separatorChar == '/';

  private static final SafeLog LOG = SafeLog.of(FileTaskStore.class);

  /**
   * A file that cannot be looked at, or a link that leads nowhere, is there: to take it for missing
   * would be to begin with an empty memory in place of one that cannot be read.
   */
  @Override
  public boolean exists(Path file) throws IOException {
    try {
      Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return true;
    } catch (NoSuchFileException missing) {
      return false;
    }
  }

  @Override
  public byte[] read(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new FileSystemException(file.toString(), null, "is a directory");
    }
    return Files.readAllBytes(file);
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Override
  public Appender create(Path file) throws IOException {
    // A new file, never an old one truncated: after a failed fsync the old one is not to be
    // trusted.
    Files.deleteIfExists(file);
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    return new ChannelAppender(channel, FileIdentity.of(file));
  }

  @Override
  public void move(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void link(Path file, Path secondName) throws IOException {
    Files.deleteIfExists(secondName);
    try {
      Files.createLink(secondName, file);
    } catch (UnsupportedOperationException | FileSystemException cannotLink) {
      LOG.debug("{} has no second name while it is replaced: {}", file, cannotLink.toString());
    }
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    if (DIRECTORIES_SYNC) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  private record ChannelAppender(FileChannel channel, FileIdentity identity) implements Appender {
    @Override
    public void write(ByteBuffer bytes) throws IOException {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }

    @Override
    public void sync() throws IOException {
      channel.force(false);
    }

    @Override
    public boolean inPlace() {
      return identity.inPlace();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
