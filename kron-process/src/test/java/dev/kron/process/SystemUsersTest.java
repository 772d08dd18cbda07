package dev.kron.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class SystemUsersTest {

  private final Users users = new SystemUsers();

  @Test
  void findsAUserByNameAndByNumber() {
    Users.Account root = users.user("root").orElseThrow();
    assertEquals("root", root.name());
    assertEquals(0, root.uid());
    assertEquals(0, root.gid());
    assertTrue(root.home().startsWith("/"), root.home());
    assertTrue(root.shell().startsWith("/"), root.shell());
    assertEquals(Optional.of(root), users.user("0"));
  }

  @Test
  void findsAGroupByNameAndTakesAnyNumber() {
    assertEquals(Optional.of(0), users.group("root"));
    assertEquals(Optional.of(0), users.group("0"));
    assertEquals(Optional.of(54_321), users.group("54321"));
  }

  @Test
  void knowsWhenThereIsNone() {
    assertEquals(Optional.empty(), users.user("no-such-user"));
    assertEquals(Optional.empty(), users.user(""));
    assertEquals(Optional.empty(), users.user("4294967295"));
    assertEquals(Optional.empty(), users.user("-1"));
    assertEquals(Optional.empty(), users.group("no-such-group"));
    assertEquals(Optional.empty(), users.group("99999999999999999999"));
  }

  @Test
  void groupsIncludeThePrimaryOne() {
    Users.Account root = users.user("root").orElseThrow();
    assertTrue(users.groups(root, 77).contains(77));
  }

  @Test
  void knowsWhoThisProcessIs() {
    Users.Account self = users.self();
    assertEquals(ProcessHandle.current().info().user().orElse(self.name()), self.name());
    assertEquals(self.uid() == 0, users.mayBecomeOthers());
  }
}
