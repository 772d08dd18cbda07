package dev.kron.notify.channel;

import dev.kron.notice.Channel.Flavor;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A sign of life of a job.
 *
 * @param name of the job
 * @param exitCode of a run that has ended, null where it is not known
 */
public record Ping(String name, State state, @Nullable Integer exitCode) {
  /** The states of a run that receivers are told. */
  public enum State {
    STARTED,
    SUCCEEDED,
    FAILED
  }

  /**
   * The address to ask, null where this kind of receiver is not told of it.
   *
   * @param url with {@code {name}} in it, or not
   */
  @Nullable String address(Flavor flavor, String url) {
    String base =
        url.replace("{name}", URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20"));
    return switch (flavor) {
      case HEALTHCHECKS ->
          beforeQuery(
              base,
              switch (state) {
                case STARTED -> "/start";
                case SUCCEEDED -> "";
                case FAILED ->
                    exitCode == null || exitCode <= 0 || exitCode > 255 ? "/fail" : "/" + exitCode;
              });
      case CRONITOR ->
          withQuery(
              base,
              switch (state) {
                case STARTED -> "state=run";
                case SUCCEEDED -> "state=complete" + status();
                case FAILED -> "state=fail" + status();
              });
      case KUMA ->
          switch (state) {
            case STARTED -> null;
            case SUCCEEDED -> withQuery(base, "status=up&msg=OK");
            case FAILED ->
                withQuery(
                    base, "status=down&msg=exit%20" + (exitCode == null ? "unknown" : exitCode));
          };
    };
  }

  private String status() {
    return exitCode == null ? "" : "&status_code=" + exitCode;
  }

  private static String beforeQuery(String url, String more) {
    int query = url.indexOf('?');
    String path = query < 0 ? url : url.substring(0, query);
    String rest = query < 0 ? "" : url.substring(query);
    return (path.endsWith("/") ? path.substring(0, path.length() - 1) : path) + more + rest;
  }

  /** The parts of the query that the address has already, such as {@code status=up}, give way. */
  private static String withQuery(String url, String query) {
    int mark = url.indexOf('?');
    var kept = new StringBuilder(mark < 0 ? url : url.substring(0, mark)).append('?').append(query);
    if (mark >= 0) {
      for (String pair : url.substring(mark + 1).split("&")) {
        String key = pair.contains("=") ? pair.substring(0, pair.indexOf('=')) : pair;
        if (!key.isEmpty() && !("&" + query).contains("&" + key + "=")) {
          kept.append('&').append(pair);
        }
      }
    }
    return kept.toString();
  }
}
