package dev.kron.cron;

/** No times that a calendar could tell: once whenever the machine was started. */
public enum Boot implements NominalTimes {
  INSTANCE;

  @Override
  public long next(long epochSecond) {
    return NONE;
  }

  @Override
  public long previous(long epochSecond) {
    return NONE;
  }
}
