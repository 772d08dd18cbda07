package dev.kron.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.kron.store.ProcessSpec.Desired;
import dev.kron.store.WishFile.Wish;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class WishFileTest {
  private static ProcessSpec.Builder spec(String name) {
    return ProcessSpec.builder(new UUID(1, name.hashCode()), name)
        .command("/bin/true")
        .file("/etc/" + name);
  }

  private static Map<String, Wish> read(String text) {
    return WishFile.read(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String line(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    return line + " " + Arrivals.checksum(bytes, 0, bytes.length) + "\n";
  }

  @Test
  void everyWishIsReadAsItWasWritten() {
    byte[] written =
        WishFile.encode(
            List.of(
                spec("plain").build(),
                spec("down").desired(Desired.DOWN).build(),
                spec("bound").credentialBinding("vault").build(),
                spec("scaled").instances(2).scaledTo(5).build(),
                spec("partly").instances(4).stoppedInstances(List.of(1, 3)).build(),
                spec("leaving").file("").build()));
    assertEquals(
        Map.of(
            "plain",
            new Wish(Desired.UP, null, null, 0, List.of()),
            "down",
            new Wish(Desired.DOWN, null, null, 0, List.of()),
            "bound",
            new Wish(Desired.UP, "vault", null, 0, List.of()),
            "scaled",
            new Wish(Desired.UP, null, 5, 2, List.of()),
            "partly",
            new Wish(Desired.UP, null, null, 0, List.of(1, 3))),
        WishFile.read(written));
    assertEquals(6, new String(written, StandardCharsets.UTF_8).split("\n", -1).length);
  }

  @Test
  void whatIsDamagedIsSkippedAndTheRestIsNot() {
    String good = line("web up - - -");
    Map<String, Wish> web = Map.of("web", new Wish(Desired.UP, null, null, 0, List.of()));
    assertEquals(web, read(good));
    assertEquals(web, read("\n" + good + "x\n" + line("db down - -") + line("db down")));
    assertEquals(web, read(line("db down - - -").replace("down", "up") + good));
    assertEquals(Map.of(), read(good.substring(0, good.length() - 2)));
    assertEquals(Map.of(), read(""));
  }

  @Test
  void anOlderLineEndsAfterTheProfile() {
    assertEquals(
        Map.of("web", new Wish(Desired.DOWN, "vault", null, 0, List.of())),
        read(line("web down vault")));
  }
}
