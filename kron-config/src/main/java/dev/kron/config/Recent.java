package dev.kron.config;

import org.jspecify.annotations.Nullable;

/**
 * A bounded memory of recent values: what is equal is made and kept once, whatever the size of the
 * configuration. Direct-mapped: a newer value takes the slot of an older one with the same hash
 * bits, so there is nothing to evict. It grows with use, so that a small file pays for a small one.
 */
final class Recent<K, V> {
  private static final int FEWEST_BITS = 8;
  private static final int MOST_BITS = 14;

  private int bits = FEWEST_BITS;
  private int puts;
  private @Nullable Object[] keys = new @Nullable Object[1 << FEWEST_BITS];
  private @Nullable Object[] values = new @Nullable Object[1 << FEWEST_BITS];

  @SuppressWarnings("unchecked") // only put() writes, and it takes a V
  @Nullable V get(K key) {
    int slot = slot(key);
    return key.equals(keys[slot]) ? (V) values[slot] : null;
  }

  void put(K key, V value) {
    if (++puts > keys.length / 2 && bits < MOST_BITS) {
      grow();
    }
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

  private void grow() {
    @Nullable Object[] oldKeys = keys;
    @Nullable Object[] oldValues = values;
    bits += 2;
    keys = new @Nullable Object[1 << bits];
    values = new @Nullable Object[1 << bits];
    for (int i = 0; i < oldKeys.length; i++) {
      Object key = oldKeys[i];
      if (key != null) {
        int slot = slot(key);
        keys[slot] = key;
        values[slot] = oldValues[i];
      }
    }
  }

  private int slot(Object key) {
    return (key.hashCode() * 0x9E3779B9) >>> (Integer.SIZE - bits);
  }
}
