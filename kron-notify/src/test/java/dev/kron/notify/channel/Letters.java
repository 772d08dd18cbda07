package dev.kron.notify.channel;

import dev.kron.notice.Channel;
import dev.kron.notice.Channel.Flavor;
import dev.kron.notice.Event;
import dev.kron.notice.Message;
import dev.kron.notice.Subject;
import dev.kron.notice.Word;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Letters and channels for tests. */
final class Letters {
  static final Subject JOB = new Subject(Subject.Kind.JOB, "/etc/krond.d/a.kron:backup/db");

  private Letters() {}

  static Letter of(Word word, String... output) {
    boolean good = word == Word.RECOVERED;
    Event event =
        Event.builder(word, 1_794_000_060_000L)
            .succeeded(good)
            .endsRun(true)
            .run("01run")
            .period(1_794_000_000)
            .exitCode(good ? 0 : 3)
            .reason("it broke")
            .build();
    var message = new Message("t1-2", "t1", false, JOB, event, 1_794_000_000_000L, List.of("c"));
    return new Letter("t1-2", List.of(message), 1, Map.of(word, 1), "host1", List.of(output));
  }

  static Channel channel(Channel.Type type) {
    return new Channel("c", type, List.of(), null, null, "p", 5, Flavor.HEALTHCHECKS, null);
  }

  static Channel webhook(@Nullable String template) {
    return new Channel(
        "c", Channel.Type.WEBHOOK, List.of(), null, null, "p", 5, Flavor.HEALTHCHECKS, template);
  }
}
