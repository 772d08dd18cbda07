package dev.kron.daemon.notices;

import dev.kron.notify.Journal;
import dev.kron.store.DiskException;
import dev.kron.store.LineJournal;
import java.util.List;

/** The outbox's journal in the state directory. */
record OutboxFile(LineJournal file) implements Journal {
  @Override
  public List<String> read() throws DiskException {
    return file.read();
  }

  @Override
  public boolean isIntact() throws DiskException {
    return file.isIntact();
  }

  @Override
  public void append(List<String> lines) throws DiskException {
    file.append(lines);
  }

  @Override
  public void replace(List<String> lines) throws DiskException {
    file.replace(lines);
  }

  @Override
  public void keepAside() throws DiskException {
    file.keepAside();
  }
}
