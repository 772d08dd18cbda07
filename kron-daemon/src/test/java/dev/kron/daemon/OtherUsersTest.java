package dev.kron.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.process.SystemUsers;
import dev.kron.process.Users;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Not being root and being asked for another user is an error of the configuration. */
final class OtherUsersTest {
  @TempDir Path directory;

  /** The system's users, as somebody sees them who is not root. */
  private static final class Ordinary implements Users {
    private final Users users = new SystemUsers();

    @Override
    public Optional<Account> user(String nameOrNumber) {
      return users.user(nameOrNumber);
    }

    @Override
    public Optional<Integer> group(String nameOrNumber) {
      return users.group(nameOrNumber);
    }

    @Override
    public List<Integer> groups(Account account, int gid) {
      return users.groups(account, gid);
    }

    @Override
    public Account self() {
      return users.self();
    }

    @Override
    public boolean mayBecomeOthers() {
      return false;
    }
  }

  @Test
  void everyEntryThatAsksForSomebodyElseIsNamedAndNothingStarts() throws Exception {
    Path config = Files.createDirectory(directory.resolve("config"));
    String self = new SystemUsers().self().name();
    Files.writeString(
        config.resolve("jobs"),
        """
        0 0 * * * name=mine user=%s command=/bin/true
        0 0 * * * name=theirs user=no-such-user-here command=/bin/true
        0 0 * * * name=ours group=no-such-group-here command=/bin/true
        """
            .formatted(self));
    var err = new ByteArrayOutputStream();
    var settings =
        Settings.builder(List.of(config), directory.resolve("state"))
            .stopTimeout(Duration.ofSeconds(1))
            .build();
    Ports system = Ports.system();
    var ports =
        new Ports(
            system.clocks(),
            system.disk(),
            system.processes(),
            new Ordinary(),
            system.systemLog(),
            system.environment());
    int code =
        new Daemon(settings, ports, System.out, new PrintStream(err, true, StandardCharsets.UTF_8))
            .run();
    String said = err.toString(StandardCharsets.UTF_8);
    assertEquals(Daemon.CONFIGURATION, code, said);
    assertTrue(said.contains("jobs:2:23: job theirs asks for user=no-such-user-here"), said);
    assertTrue(said.contains("jobs:3:21: job ours asks for group=no-such-group-here"), said);
    assertFalse(said.contains("mine"), said);
    assertFalse(Files.exists(directory.resolve("state")), "nothing was started");
  }
}
