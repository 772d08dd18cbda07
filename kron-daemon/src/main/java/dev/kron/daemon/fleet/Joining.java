package dev.kron.daemon.fleet;

import dev.kron.daemon.loop.Errands;
import dev.kron.daemon.loop.Errands.Place;
import dev.kron.fleet.Answers.Joined;
import dev.kron.fleet.Join;
import dev.kron.fleet.NodeSession.Start;
import dev.kron.store.DiskException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a node gets into its fleet. Each start has a number that is on disk before the database hears
 * of it; a try whose answer was lost is repeated with the same one. Only the loop's thread calls
 * it.
 */
final class Joining {
  private static final long LONGEST_MILLIS = 8000;
  static final String RENAME = "; give one of them another name, node = \"…\" in fleet.toml";
  private static final String ADOPT = "; kron fleet adopt makes this machine a new node";

  private final FleetMember member;
  private final FleetJournal journal;
  private final Errands errands;
  private FleetMemory memory;
  private @Nullable Join trying;
  private boolean asKnown;
  private int failures;

  Joining(FleetMember member, FleetMemory memory, FleetJournal journal, Errands errands) {
    this.member = member;
    this.memory = memory;
    this.journal = journal;
    this.errands = errands;
  }

  FleetMemory memory() {
    return memory;
  }

  void begin() {
    next(List.of());
  }

  /** The node joins once more, as the database does not know what it does. */
  void again(long generation, long writes) {
    memory = with(memory.starts(), Math.max(memory.writes(), writes), generation);
    next(List.of());
  }

  /** A generation that the node has come to know. */
  void generation(long now, long writes) {
    if (now != memory.generation() && now > 0) {
      memory = with(memory.starts(), memory.writes(), now);
      confirm(memory.starts().getFirst(), now, writes);
    }
  }

  private FleetMemory with(List<Start> starts, long writes, long generation) {
    return new FleetMemory(
        memory.node(), memory.number(), starts, writes, generation, memory.open());
  }

  /**
   * A new start of the node, with a number of its own.
   *
   * @param also a start that the database has, though this node has had a later one confirmed
   */
  private void next(List<Start> also) {
    List<Start> before = new ArrayList<>(memory.starts());
    before.addAll(also);
    var start = new Start(memory.number() + 1, UUID.randomUUID());
    List<Start> starts = new ArrayList<>(memory.starts());
    starts.add(start);
    memory =
        new FleetMemory(
            memory.node(),
            start.number(),
            starts,
            memory.writes(),
            memory.generation(),
            memory.open());
    asKnown = also.isEmpty();
    var join = new Join(memory.node(), start, before, asKnown ? memory.writes() : 0, member.card());
    trying = join;
    ask(join, true);
  }

  private void ask(Join join, boolean first) {
    boolean known = asKnown;
    member
        .door()
        .wire(false)
        .execute(
            () -> {
              try {
                if (first) {
                  journal.start(join.start());
                }
                long sent = member.means().time().clocks().bootNanos();
                Joined joined = member.door().use(database -> database.join(join));
                member.tell(new FleetInput.Heard(join.start(), joined, known, sent));
              } catch (IOException | RuntimeException e) {
                member.tell(new FleetInput.Unheard(String.valueOf(e.getMessage())));
              }
            });
  }

  /**
   * The wait before the next try: half a second, then twice as long each time, and a random part.
   */
  void unheard(String reason) {
    member.trouble(reason);
    long wait = Math.min(500L << Math.min(failures++, 10), LONGEST_MILLIS);
    tryAgain(wait + errands.random().nextLong(wait / 4));
  }

  private void tryAgain(long millis) {
    Join join = trying;
    if (join != null) {
      // The line may be written or not; a second one says the same.
      errands.after(millis, Place.TEND_FLEET, () -> ask(join, true), thrown -> {});
    }
  }

  void heard(FleetInput.Heard heard, long now) {
    Join join = trying;
    if (join == null || !join.start().equals(heard.start())) {
      return; // of an earlier try
    }
    failures = 0;
    switch (heard.joined()) {
      case Joined.In in -> {
        trying = null;
        long writes = in.session().writes();
        memory =
            with(
                List.of(heard.start()),
                heard.asKnown() ? Math.max(memory.writes(), writes) : writes,
                in.generation());
        confirm(heard.start(), in.generation(), memory.writes());
        member.joined(in, heard.sentNanos(), now);
      }
      case Joined.NameTaken(UUID other) -> {
        member.trouble(
            "another node that lives is called "
                + member.card().name()
                + " ("
                + other
                + ")"
                + RENAME);
        tryAgain(1000);
      }
      case Joined.Removed() -> member.leave("this node was removed from the fleet" + ADOPT);
      case Joined.OtherStart(Start known) ->
          member.leave(
              "the database has start "
                  + known.number()
                  + " of this node, which this directory knows nothing of: a copy of it was"
                  + " started, or an older one was put back"
                  + ADOPT);
      // An older generation is one that was ended once, and is here again.
      case Joined.WentBack back when back.generation() <= memory.generation() -> raise(back);
      case Joined.WentBack back -> raised(back);
    }
  }

  private void confirm(Start start, long generation, long writes) {
    errands.execute(
        Place.TEND_FLEET,
        () -> {
          try {
            journal.joined(start, generation, writes);
          } catch (DiskException e) {
            // The start itself is on disk; only the database's number of writes is older than it
            // could be.
          }
        },
        thrown -> {});
  }

  /** The database went back, and no node has noticed yet. */
  private void raise(Joined.WentBack back) {
    long fleetMillis = member.knownMillis();
    long pause = Math.max(member.pauseMillis(), member.card().leaseMillis());
    member
        .door()
        .wire(false)
        .execute(
            () -> {
              try {
                member
                    .door()
                    .use(database -> database.raise(back.generation(), fleetMillis, pause));
                member.tell(new FleetInput.Raised(back));
              } catch (IOException | RuntimeException e) {
                member.tell(new FleetInput.Unheard(String.valueOf(e.getMessage())));
              }
            });
  }

  void raised(Joined.WentBack back) {
    Start known = back.known();
    if (known == null) {
      memory = with(List.of(), 0, memory.generation());
      next(List.of());
    } else {
      next(List.of(known));
    }
  }
}
