package dev.kron.fleet;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Answers.Standing;
import dev.kron.fleet.Claim.Kind;
import dev.kron.schedule.Policy.Concurrency;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Short ways to speak to a fleet's database, for tests. */
public final class Fixture {
  public static final long BEGIN = 1_800_000_000_000L;
  public static final long LEASE = 30_000;
  public static final String JOB = "fleet:a.kron:a";
  public static final RowKey ROW = RowKey.shared(JOB);

  private Fixture() {}

  public static UUID node(int number) {
    return new UUID(1, number);
  }

  public static Join.Card card(int number) {
    return new Join.Card("n" + number, List.of("web"), "1", LEASE);
  }

  public static NodeSession.Start start(long number) {
    return new NodeSession.Start(number, new UUID(2, number));
  }

  public static NodeSession join(FleetDatabase database, int number) throws IOException {
    Joined joined = database.join(new Join(node(number), start(1), List.of(), 0, card(number)));
    return assertInstanceOf(Joined.In.class, joined).session();
  }

  public static NodeVote arrival(String definition) {
    return new NodeVote(ROW, definition, "f", "any", "");
  }

  /** A claim of a period that is due at a second after the beginning. */
  public static Claim claim(Kind kind, int period, String run) {
    return claim(kind, period, 1, run, Concurrency.FORBID);
  }

  public static Claim claim(
      Kind kind, int period, int attempt, String run, Concurrency concurrency) {
    long due = BEGIN + period * 1000L;
    return new Claim(
        ROW,
        run,
        kind,
        new Claim.Period(due / 1000, attempt, due, due),
        new Claim.Terms("d1", 1, due + 600_000),
        concurrency,
        "");
  }

  public static Claim noted(Claim claim, String note) {
    return new Claim(
        claim.row(),
        claim.run(),
        claim.kind(),
        claim.period(),
        claim.terms(),
        claim.concurrency(),
        note);
  }

  public static Claim on(Claim claim, String definition, long generation, long latest) {
    return new Claim(
        claim.row(),
        claim.run(),
        claim.kind(),
        claim.period(),
        new Claim.Terms(definition, generation, latest),
        claim.concurrency(),
        claim.note());
  }

  public static Settlement ended(Claim claim, String outcome, @Nullable Long retryAt) {
    return new Settlement(claim, new Settlement.End(outcome, 0, BEGIN, BEGIN, "", ""), retryAt);
  }

  public static Verdict one(FleetDatabase database, NodeSession session, Claim claim)
      throws IOException {
    Answers.Claimed claimed = database.claim(session, List.of(claim));
    assertInstanceOf(Standing.Held.class, claimed.standing());
    return claimed.verdicts().getFirst();
  }
}
