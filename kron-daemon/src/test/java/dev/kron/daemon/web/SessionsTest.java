package dev.kron.daemon.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kron.daemon.HandClocks;
import dev.kron.daemon.api.Authority;
import dev.kron.daemon.api.Visitor;
import dev.kron.daemon.web.SessionFile.Kept;
import dev.kron.daemon.web.SessionFile.KeptSession;
import dev.kron.store.LinuxDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds a session, and what ends it. */
class SessionsTest {
  private static final String ORIGIN = "http://127.0.0.1:1234";

  private final HandClocks clocks = new HandClocks("2026-03-01T00:00:00Z");
  private Authority authority = Authority.OPERATE;
  private final Sessions sessions =
      new Sessions(clocks, uid -> new Visitor("u" + uid, uid, authority));
  private long number;

  private static Visitor visitor(int uid) {
    return new Visitor("u" + uid, uid, Authority.OPERATE);
  }

  private String begin(int uid) {
    return sessions.begin(visitor(uid), ORIGIN).id();
  }

  /** Uses a session as if its signature were right; the authority it has then, null: none. */
  private Authority use(String id) {
    KeptSession kept =
        sessions.kept().stream().filter(it -> it.id().equals(id)).findFirst().orElse(null);
    if (kept == null) {
      return Authority.NOTHING;
    }
    var signed = new Signed(id, "client", ++number, 0, "");
    Session session = sessions.named(id);
    assertNotNull(session);
    return sessions.admit(session, signed) == null
        ? session.visitor().authority()
        : Authority.NOTHING;
  }

  @Test
  void whatAUserMayDoIsLookedUpAgainEveryMinute() {
    String id = begin(7);
    assertEquals(Authority.OPERATE, use(id));
    authority = Authority.READ;
    clocks.pass(Duration.ofSeconds(59));
    assertEquals(Authority.OPERATE, use(id));
    clocks.pass(Duration.ofSeconds(2));
    assertEquals(Authority.READ, use(id));
    authority = Authority.NOTHING;
    clocks.pass(Duration.ofSeconds(61));
    assertEquals(Authority.NOTHING, use(id));
    assertTrue(sessions.isEmpty());
  }

  @Test
  void itEndsADayAfterItsLastUseAndAWeekAfterItsBegin() {
    String id = begin(7);
    for (int day = 0; day < 7; day++) {
      clocks.pass(Duration.ofHours(23));
      assertEquals(Authority.OPERATE, use(id));
    }
    clocks.pass(Duration.ofHours(8));
    assertEquals(Authority.NOTHING, use(id));
    String unused = begin(7);
    clocks.pass(Duration.ofHours(24).plusSeconds(1));
    assertTrue(sessions.tend());
    assertEquals(Authority.NOTHING, use(unused));
  }

  @Test
  void aUserHasSoManyAndLosesTheirOwnOldest() {
    String other = begin(8);
    var own = new ArrayList<String>();
    for (int i = 0; i <= Sessions.OF_ONE; i++) {
      clocks.pass(Duration.ofSeconds(1));
      own.add(begin(7));
    }
    assertEquals(Authority.NOTHING, use(own.getFirst()));
    assertEquals(Authority.OPERATE, use(own.get(1)));
    assertEquals(Authority.OPERATE, use(other));
  }

  @Test
  void linksAreFewForEachUserAndGoodOnce() {
    var links = new LoginLinks();
    var tokens = new ArrayList<String>();
    String other = links.give(visitor(8), 0);
    for (int i = 0; i <= LoginLinks.OF_ONE; i++) {
      tokens.add(links.give(visitor(7), 0));
    }
    assertNull(links.redeem(tokens.getFirst(), 0));
    assertEquals(visitor(7), links.redeem(tokens.get(1), 0));
    assertNull(links.redeem(tokens.get(1), 0));
    assertEquals(visitor(8), links.redeem(other, 0));
    assertNull(links.redeem(tokens.get(2), LoginLinks.HOLD.toNanos()));
    assertTrue(links.isEmpty(LoginLinks.HOLD.toNanos()));
  }

  @Test
  void aNumberIsGoodOnceWhateverTheOrder() {
    var replays = new Replays();
    for (long number : new long[] {1, 3, 2, 1000, 999, 1 << 20, (1 << 20) - 1023}) {
      assertTrue(replays.use("a", number, 0), "" + number);
      assertFalse(replays.use("a", number, 0), "" + number);
    }
    assertFalse(replays.use("a", (1 << 20) - 1024, 0), "too far back to be known");
    assertTrue(replays.use("a", 999_999_999_999_999L, 0));
    assertTrue(replays.use("b", 1, 0));
    for (int i = 2; i < Replays.COUNTERS; i++) {
      assertTrue(replays.use("c" + i, 1, 0));
    }
    assertFalse(replays.use("one more", 1, 0));
    assertTrue(replays.use("one more", 1, 3 * Replays.WINDOW.toNanos()));
  }

  @Test
  void whatIsKeptIsAHashAndWhatIsDamagedIsDropped(@TempDir Path state) throws Exception {
    Sessions.Begun begun = sessions.begin(visitor(7), ORIGIN);
    var file = new SessionFile(state, new LinuxDisk());
    file.write(new Kept(1234, sessions.kept()));
    Path path = state.resolve(SessionFile.NAME);
    assertFalse(Files.readString(path).contains(begun.key()));
    Kept read = file.read();
    assertEquals(new Kept(1234, sessions.kept()), read);
    var later = new Sessions(clocks, uid -> visitor(uid));
    clocks.pass(Duration.ofHours(2));
    later.takeUp(read.sessions());
    assertFalse(later.isEmpty());
    assertEquals(read.sessions(), later.kept());
    var before = new HandClocks("2025-03-01T00:00:00Z");
    var earlier = new Sessions(before, uid -> visitor(uid));
    earlier.takeUp(read.sessions());
    assertTrue(earlier.isEmpty(), "begun after now: its age is not known");
    var stranger = new Sessions(clocks, uid -> new Visitor("", uid, Authority.NOTHING));
    stranger.takeUp(read.sessions());
    assertTrue(stranger.isEmpty());
    for (String damaged :
        List.of("", "kron-dashboard 2 1\n", "kron-dashboard 1 x\n", "kron-dashboard 1 1\na b\n")) {
      Files.writeString(path, damaged);
      assertEquals(List.of(), file.read().sessions());
    }
  }
}
