package dev.kron.config;

import org.jspecify.annotations.Nullable;

/**
 * A bounded memory of recent values: what is equal is made and kept once, whatever the size of the
 * configuration. Direct-mapped: a newer value takes the slot of an older one with the same hash
 * bits, so there is nothing to tune and nothing to evict.
 */
final class Recent<K, V> {
  private static final int SLOTS = 1 << 12;

  private final @Nullable Object[] keys = new @Nullable Object[SLOTS];
  private final @Nullable Object[] values = new @Nullable Object[SLOTS];

  @SuppressWarnings("unchecked") // only put() writes, and it takes a V
  @Nullable V get(K key) {
    int slot = slot(key);
    return key.equals(keys[slot]) ? (V) values[slot] : null;
  }

  void put(K key, V value) {
    int slot = slot(key);
    keys[slot] = key;
    values[slot] = value;
  }

  /** The value seen before that equals the given one, or the given one. */
  static <T> T share(Recent<T, T> recent, T value) {
    T known = recent.get(value);
    if (known != null) {
      return known;
    }
    recent.put(value, value);
    return value;
  }

  private static int slot(Object key) {
    int hash = key.hashCode() * 0x9E3779B9;
    return hash >>> 20;
  }
}
