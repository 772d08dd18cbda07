package dev.kron.fleet;

import java.util.concurrent.atomic.AtomicLong;

class MemoryDatabaseTest extends FleetDatabaseContract {
  private final AtomicLong clock = new AtomicLong();
  private final MemoryDatabase database = new MemoryDatabase(clock::get);

  @Override
  protected FleetDatabase create() {
    return database;
  }

  @Override
  protected void setClock(long millis) {
    clock.set(millis);
  }

  @Override
  protected String told(String run) {
    return String.valueOf(database.backup().told(run));
  }
}
