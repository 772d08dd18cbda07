package dev.kron.cron;

/** A krontab-dialect expression that was rejected, with the place of the offending text. */
public final class CronSyntaxException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int offset;

  CronSyntaxException(String message, int offset) {
    super(message);
    this.offset = offset;
  }

  /** Where the offending text begins, in characters from the start of the parsed text. */
  public int offset() {
    return offset;
  }
}
