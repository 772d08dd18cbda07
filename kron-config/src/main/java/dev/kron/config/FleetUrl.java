package dev.kron.config;

import dev.kron.text.VisibleText;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The rule for the address of a fleet's database: it names a host and a database, holds no secret,
 * and anything that leaves the machine is encrypted to a server that proves who it is.
 */
final class FleetUrl {
  private static final String START = "jdbc:postgresql://";
  private static final String SECURE = "verify-full";

  /** The driver has many more; some would load classes, change who is asked, or hold secrets. */
  private static final List<String> PARAMETERS =
      List.of("sslmode", "sslrootcert", "sslcert", "sslkey", "channelBinding", "ApplicationName");

  private static final Set<String> SECRETS = Set.of("user", "password", "sslpassword");

  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}|\\[::1]");

  /** A name, an address, or an IPv6 address in brackets; then a port or none. */
  private static final Pattern HOST =
      Pattern.compile("([A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{1,5})?");

  private static final Pattern DATABASE = Pattern.compile("[A-Za-z0-9_.%~-]+");

  private FleetUrl() {}

  /** What is wrong with it, or null. A part that may be a secret is not repeated. */
  static @Nullable String problem(String url) {
    int slash = url.startsWith(START) ? url.indexOf('/', START.length()) : -1;
    if (slash < 0) {
      return "the url is not one of a PostgreSQL database; expected"
          + " jdbc:postgresql://HOST/DATABASE?sslmode=verify-full";
    }
    String hosts = url.substring(START.length(), slash);
    if (hosts.contains("@")) {
      return "the url names somebody before an \"@\"; user and password stand in the profile,"
          + " as PGUSER and PGPASSWORD";
    }
    int question = url.indexOf('?', slash);
    String database = url.substring(slash + 1, question < 0 ? url.length() : question);
    if (!DATABASE.matcher(database).matches()) {
      return "the url names the database "
          + VisibleText.quote(database)
          + "; expected jdbc:postgresql://HOST/DATABASE";
    }
    boolean loopback = true;
    for (String host : hosts.split(",", -1)) {
      var matched = HOST.matcher(host);
      if (!matched.matches()) {
        return "the url names the host " + VisibleText.quote(host) + "; expected HOST or HOST:PORT";
      }
      loopback &= LOOPBACK.matcher(matched.group(1)).matches();
    }
    return parameterProblem(question < 0 ? "" : url.substring(question + 1), loopback);
  }

  private static @Nullable String parameterProblem(String parameters, boolean loopback) {
    String mode = "";
    Set<String> seen = new HashSet<>();
    for (String parameter :
        parameters.isEmpty() ? List.<String>of() : List.of(parameters.split("&", -1))) {
      int equals = parameter.indexOf('=');
      String key = equals < 0 ? parameter : parameter.substring(0, equals);
      if (SECRETS.contains(key)) {
        return "the url holds "
            + key
            + "; user and password stand in the profile, as PGUSER and PGPASSWORD";
      }
      if (!PARAMETERS.contains(key) || equals < 0) {
        return "the url holds "
            + VisibleText.quote(key)
            + "; it may hold "
            + String.join(", ", PARAMETERS);
      }
      if (!seen.add(key)) {
        return "the url holds " + key + " twice";
      }
      if (key.equals("sslmode")) {
        mode = parameter.substring(equals + 1);
      }
    }
    if (!loopback && !mode.equals(SECURE)) {
      return mode.isEmpty()
          ? "the url has no sslmode; add ?sslmode=verify-full: only a database on this machine"
              + " itself may be reached without"
          : "the url has sslmode="
              + VisibleText.of(mode)
              + "; expected sslmode=verify-full: only a database on this machine itself may be"
              + " reached without";
    }
    return null;
  }
}
