package dev.kron.service;

import java.util.Comparator;

/** The id of one instance of a service: {@code web@0}. */
public record InstanceId(String service, int index) implements Comparable<InstanceId> {
  private static final Comparator<InstanceId> ORDER =
      Comparator.comparing(InstanceId::service).thenComparingInt(InstanceId::index);

  @Override
  public int compareTo(InstanceId other) {
    return ORDER.compare(this, other);
  }

  @Override
  public String toString() {
    return service + "@" + index;
  }
}
