package dev.kron.cli.lint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.config.KrontabParser;
import dev.kron.config.OtherUsers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class AccountsTest {
  private final Accounts accounts = new Accounts();

  @Test
  void knowsWhoThisProcessIs() {
    assertTrue(accounts.isUser(accounts.name()));
    assertFalse(accounts.isUser("no-such-user"));
    assertFalse(accounts.isGroup("no-such-group"));
  }

  @Test
  void refusesOthersAtTheirColumn() {
    byte[] line =
        "0 0 * * * name=x user=no-such-user command=/bin/sh\n".getBytes(StandardCharsets.UTF_8);
    List<String> said =
        new KrontabParser(KrontabParser.Settings.DEFAULT, new OtherUsers(accounts))
            .parse(Path.of("/x.krontab"), line).diagnostics().stream()
                .map(Object::toString)
                .toList();
    assertEquals(1, said.size(), said.toString());
    assertTrue(
        said.getFirst().startsWith("/x.krontab:1:18: job x asks for user=no-such-user, but krond"),
        said.getFirst());
  }
}
