package dev.kron.scheduler;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** The few things that a file store asks of a disk; a test puts a failing one in its place. */
interface FileStoreDisk {
  boolean exists(Path file) throws IOException;

  byte[] read(Path file) throws IOException;

  /** The names of the files in a directory. */
  List<String> list(Path directory) throws IOException;

  /** A new, empty file that takes the place of one with the same name. */
  Appender create(Path file) throws IOException;

  /** Moves a file over another one, atomically. */
  void move(Path from, Path to) throws IOException;

  /** Gives a file a second name, if the disk can do that; otherwise does nothing. */
  void link(Path file, Path secondName) throws IOException;

  void delete(Path file) throws IOException;

  /** Makes creations, moves and deletions in a directory durable. */
  void syncDirectory(Path directory) throws IOException;

  /** A file that is written from its beginning to its end. */
  interface Appender extends Closeable {
    /** Writes all of the bytes. */
    void write(ByteBuffer bytes) throws IOException;

    /** Makes what was written durable. */
    void sync() throws IOException;

    /** Whether its name still leads to it: nobody has removed, moved or replaced it. */
    boolean inPlace() throws IOException;
  }
}
