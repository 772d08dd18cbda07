package dev.kron.daemon.web;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The identification of a request's sender: {@code Authorization: Kron
 * <session>.<client>.<number>.<time>.<signature>}.
 *
 * @param client one page or worker of the browser
 * @param number the number of the request; each is used once
 * @param time when it was signed, in milliseconds of the server's own count
 */
record Signed(String session, String client, long number, long time, String signature) {
  static final String SCHEME = "Kron ";

  private static final Pattern FORM =
      Pattern.compile(
          "Kron ([\\w-]{8,32})\\.([\\w-]{8,32})\\.([1-9]\\d{0,14})\\.(\\d{1,15})\\.([\\w-]{43})");

  /** The signed text. */
  @FunctionalInterface
  interface Text {
    String of(String origin);
  }

  /** Parses the header; null if it is no such header. */
  static @Nullable Signed parse(@Nullable String header) {
    Matcher form = FORM.matcher(header == null ? "" : header);
    return form.matches()
        ? new Signed(
            form.group(1),
            form.group(2),
            Long.parseLong(form.group(3)),
            Long.parseLong(form.group(4)),
            form.group(5))
        : null;
  }

  /**
   * The signed text, line by line.
   *
   * @param epoch the server's epoch; a signature for an earlier server means nothing to the next
   * @param target path and parameters, as they are sent
   */
  Text text(String epoch, String method, String target) {
    return origin ->
        String.join(
            "\n",
            "kron-dashboard-1",
            epoch,
            session,
            client,
            Long.toString(number),
            Long.toString(time),
            method,
            origin,
            target);
  }
}
