package dev.kron.cli.online;

import dev.kron.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Words that mean services: names, patterns with {@code *} and {@code ?}, or all of them; with an
 * {@code @} in it a pattern means instances.
 */
final class ServiceWords {
  private static final String SERVICE = "service:";

  private ServiceWords() {}

  static boolean isPattern(String word) {
    return word.indexOf('*') >= 0 || word.indexOf('?') >= 0;
  }

  /** All services of the daemon. */
  static List<String> all(Api api) throws IOException {
    return api.get(Api.path("services")).list("services").stream()
        .map(service -> service.text("name"))
        .toList();
  }

  private static List<String> instances(Api api) throws IOException {
    return api.get(Api.path("services")).list("services").stream()
        .flatMap(service -> service.list("instances").stream())
        .map(instance -> instance.text("instance"))
        .toList();
  }

  /** All that are wanted up. */
  static List<String> wantedUp(Api api) throws IOException {
    return api.get(Api.path("services")).list("services").stream()
        .filter(service -> service.text("wanted").equals("up"))
        .map(service -> service.text("name"))
        .toList();
  }

  /** The words, with the services that a pattern matches in its place; each once. */
  static List<String> expanded(Api api, List<String> words) throws IOException {
    Set<String> names = new LinkedHashSet<>();
    for (String word : words) {
      if (isPattern(word)) {
        List<String> matching = matching(api, word);
        if (matching.isEmpty()) {
          throw Api.refused("no service matches " + word + "; 'kron services' lists them");
        }
        names.addAll(matching);
      } else {
        names.add(word);
      }
    }
    return List.copyOf(names);
  }

  private static List<String> matching(Api api, String word) throws IOException {
    StringBuilder regex = new StringBuilder();
    for (char c : name(word).toCharArray()) {
      regex.append(c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(String.valueOf(c)));
    }
    Pattern pattern = Pattern.compile(regex.toString());
    List<String> candidates = word.indexOf('@') >= 0 ? instances(api) : all(api);
    return candidates.stream().filter(name -> pattern.matcher(name).matches()).toList();
  }

  /** Refuses a name that a job and a service share. */
  static void refuseBoth(String word, @Nullable Json job, @Nullable Json service) {
    if (job != null && service != null) {
      throw Api.refused(
          "a job and a service are called %s: say job:%s or service:%s"
              .formatted(word, word, word));
    }
  }

  private static String name(String word) {
    return word.startsWith(SERVICE) ? word.substring(SERVICE.length()) : word;
  }

  /** Services that are up and that stopping these would stop too, because they require them. */
  static List<String> stoppedToo(Api api, List<String> words) throws IOException {
    List<Json> services = api.get(Api.path("graph")).list("services");
    Set<String> named = new HashSet<>();
    words.forEach(word -> named.add(name(word)));
    Set<String> stopped = new HashSet<>(named);
    List<String> others = new ArrayList<>();
    boolean more = true;
    while (more) {
      more = false;
      for (Json service : services) {
        boolean concerned = service.texts("requires").stream().anyMatch(stopped::contains);
        if (concerned && stopped.add(service.text("name"))) {
          more = true;
          if (service.text("wanted").equals("up")) {
            others.add(service.text("name"));
          }
        }
      }
    }
    return others;
  }
}
