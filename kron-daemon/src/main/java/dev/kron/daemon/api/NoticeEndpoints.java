package dev.kron.daemon.api;

import dev.kron.notice.Channel;
import dev.kron.notify.Sent;
import dev.kron.notify.channel.Delivery;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Operations on messages to people: what became of them, and tests of channels. */
final class NoticeEndpoints {
  private final Supplier<Control> control;

  NoticeEndpoints(Supplier<Control> control) {
    this.control = control;
  }

  void log(Exchange exchange) throws IOException {
    int limit = (int) exchange.number("limit", 50, 1, 10_000);
    @Nullable Notices notices = control.get().notices();
    List<Sent> all = notices == null ? List.of() : notices.log(limit);
    try (var json = exchange.json()) {
      json.beginObject();
      json.name("channels").beginArray();
      for (Channel channel : notices == null ? List.<Channel>of() : notices.channels()) {
        json.beginObject();
        json.member("name", channel.name());
        json.member("type", channel.type().text());
        json.endObject();
      }
      json.endArray();
      json.member("waiting", notices == null ? 0 : notices.waiting());
      json.member("delivered", notices == null ? 0 : notices.delivered());
      json.member("lost", notices == null ? 0 : notices.lost());
      json.name("messages").beginArray();
      for (Sent sent : all) {
        json.beginObject();
        json.member("id", sent.id());
        json.member("channel", sent.channel());
        json.member("what", sent.what());
        json.member("subject", sent.subject());
        json.millis("at", sent.atMillis());
        json.member("state", sent.state().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        json.member("tries", sent.tries());
        json.member("problem", sent.problem());
        json.endObject();
      }
      json.endArray();
      json.endObject();
    }
  }

  void test(Exchange exchange) throws IOException {
    String name = exchange.part("channel");
    Control present = control.get();
    @Nullable Notices notices = present.notices();
    present.asked(exchange.who(), "notify-test", name);
    @Nullable Delivery delivery = notices == null ? null : notices.test(name);
    String problem =
        switch (delivery) {
          case null -> throw new ApiProblem(404, "there is no channel " + name);
          case Delivery.Delivered delivered -> delivered.remark();
          case Delivery.Refused refused -> refused.reason();
          case Delivery.Unreachable unreachable -> unreachable.reason();
        };
    try (var json = exchange.json()) {
      json.beginObject();
      json.member("delivered", delivery instanceof Delivery.Delivered);
      json.member("problem", problem);
      json.endObject();
    }
  }
}
