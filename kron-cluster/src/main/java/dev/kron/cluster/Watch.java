package dev.kron.cluster;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Knows which instances are lost. One is if the database says that its lease and its grace are over
 * and the observer itself saw no renewal for as long, by its own clock that only passes; a clock of
 * the database that jumps therefore loses nobody. One that is not listed any more has left.
 */
public final class Watch {
  private final long patienceNanos;
  private final Map<String, Sighting> sightings = new HashMap<>();
  private Set<String> lost = Set.of();

  private record Sighting(long renewal, long sinceNanos) {}

  /**
   * The database's word about one instance.
   *
   * @param renewal a number that each renewal raises
   * @param over whether its lease and its grace are over, by the database's clock
   */
  public record Instance(String identifier, long renewal, boolean over) {}

  public Watch(Terms terms) {
    patienceNanos = terms.lease().plus(terms.grace()).toNanos();
  }

  /** Takes in all instances that the database has, as of a moment. */
  public void saw(List<Instance> all, long nowNanos) {
    Set<String> listed = new HashSet<>();
    Set<String> missing = new HashSet<>();
    for (Instance instance : all) {
      String identifier = instance.identifier();
      listed.add(identifier);
      Sighting last = sightings.get(identifier);
      if (last == null || last.renewal() != instance.renewal()) {
        sightings.put(identifier, new Sighting(instance.renewal(), nowNanos));
      } else if (instance.over() && nowNanos - last.sinceNanos() >= patienceNanos) {
        missing.add(identifier);
      }
    }
    sightings.keySet().retainAll(listed);
    lost = missing;
  }

  /** Whether nothing is to be expected of an instance any more: it is lost, or has left. */
  public boolean gone(String identifier) {
    return lost.contains(identifier) || !sightings.containsKey(identifier);
  }
}
