package dev.kron.config;

import dev.kron.service.HealthCheck.Probe;
import dev.kron.service.ReadySignal;
import dev.kron.text.Suggestion;
import dev.kron.text.VisibleText;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The rules for single values of a service file. */
final class ServiceValues {
  /** The signals that may end a process. */
  static final List<String> SIGNALS =
      List.of(
          "SIGHUP",
          "SIGINT",
          "SIGQUIT",
          "SIGABRT",
          "SIGKILL",
          "SIGUSR1",
          "SIGUSR2",
          "SIGALRM",
          "SIGTERM",
          "SIGWINCH");

  private static final int LONGEST_NAME = 64;

  private static final long LARGEST_SIZE = 1L << 40;

  private static final Map<String, Long> UNITS =
      Map.of(
          "",
          1L,
          "B",
          1L,
          "KB",
          1_000L,
          "MB",
          1_000_000L,
          "GB",
          1_000_000_000L,
          "KIB",
          1L << 10,
          "MIB",
          1L << 20,
          "GIB",
          1L << 30,
          "TIB",
          1L << 40);

  private ServiceValues() {}

  static @Nullable String nameProblem(String what, String name) {
    if (name.isEmpty() || name.length() > LONGEST_NAME) {
      return what
          + " is "
          + VisibleText.quote(name)
          + "; expected 1 to "
          + LONGEST_NAME
          + " characters";
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-') {
        return what
            + " is "
            + VisibleText.quote(name)
            + ", which holds "
            + VisibleText.quote(Character.toString(name.codePointAt(i)))
            + "; it is made of a-z, 0-9 and \"-\"";
      }
    }
    return name.charAt(0) == '-'
        ? what + " is " + VisibleText.quote(name) + "; it may not begin with \"-\""
        : null;
  }

  /** The signal with SIG before it; null if there is no such signal. */
  static @Nullable String signal(String text) {
    String upper = text.toUpperCase(Locale.ROOT);
    String name = upper.startsWith("SIG") ? upper : "SIG" + upper;
    return SIGNALS.contains(name) ? name : null;
  }

  static String signalProblem(String text) {
    String upper = text.toUpperCase(Locale.ROOT);
    @Nullable String meant =
        Suggestion.nearest(SIGNALS, upper.startsWith("SIG") ? upper : "SIG" + upper);
    return "stop_signal is "
        + VisibleText.quote(text)
        + (meant == null
            ? "; expected one of " + String.join(", ", SIGNALS)
            : "; did you mean \"" + meant + "\"?");
  }

  /** How a process reports that it is ready, or null. */
  static @Nullable ReadySignal readySignal(String text) {
    if (text.equals("notify")) {
      return new ReadySignal.Notify();
    }
    boolean number =
        text.length() == 4
            && text.startsWith("fd:")
            && text.charAt(3) >= '0'
            && text.charAt(3) <= '9';
    int descriptor = number ? text.charAt(3) - '0' : -1;
    return descriptor >= ReadySignal.Descriptor.LOWEST
            && descriptor <= ReadySignal.Descriptor.HIGHEST
        ? new ReadySignal.Descriptor(descriptor)
        : null;
  }

  static String readySignalProblem(String text) {
    return "ready is "
        + VisibleText.quote(text)
        + "; expected \"notify\" (READY=1 to the socket in NOTIFY_SOCKET), or \"fd:3\" to \"fd:9\""
        + " (a line on that descriptor); without it the service is ready by its [health], or as"
        + " soon as it was started";
  }

  /** A size in bytes, or -1 if it is none. */
  static long size(String text) {
    int digits = 0;
    while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
      digits++;
    }
    String unit = text.substring(digits).strip().toUpperCase(Locale.ROOT);
    @Nullable Long factor = UNITS.get(unit);
    if (digits == 0 || digits > 13 || factor == null) {
      return -1;
    }
    long number = Long.parseLong(text.substring(0, digits));
    return number == 0 || number > LARGEST_SIZE / factor ? -1 : number * factor;
  }

  /** The address of an HTTP check, or null. */
  static Probe.@Nullable Http http(String text) {
    try {
      URI uri = new URI(text);
      boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      int port = uri.getPort();
      return web && uri.getHost() != null && port <= 65_535 && port != 0
          ? new Probe.Http(uri)
          : null;
    } catch (URISyntaxException e) {
      return null;
    }
  }

  /** The address of a TCP check, or null. */
  static Probe.@Nullable Tcp tcp(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    String port = text.substring(colon + 1);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      return null; // an IPv6 address without brackets: nobody knows where its port begins
    }
    boolean valid =
        !host.isEmpty()
            && host.chars().noneMatch(c -> c <= ' ' || c == '/' || c == '@')
            && port.length() <= 5
            && !port.isEmpty()
            && port.chars().allMatch(c -> c >= '0' && c <= '9');
    int number = valid ? Integer.parseInt(port) : 0;
    return number >= 1 && number <= 65_535 ? new Probe.Tcp(host, number) : null;
  }
}
