package dev.kron.cli.crontab;

/**
 * Something to tell about a line of a crontab.
 *
 * @param line from 1
 * @param job the name of the job it is about, empty where it is about none
 */
public record Finding(int line, Kind kind, String job, String message) {

  /** What a finding means for the person who imports. */
  public enum Kind {
    /** Something is missing in the krontab. */
    LOST("not carried over"),
    /** Something will be another way than under cron. */
    DIFFERS("differs"),
    /** Nothing is wrong, but it should be known. */
    NOTE("note");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }
}
