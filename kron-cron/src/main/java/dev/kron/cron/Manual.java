package dev.kron.cron;

/** No times at all: whoever wants a run asks for it. */
public enum Manual implements NominalTimes {
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
