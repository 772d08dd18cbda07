package dev.kron.config;

import org.jspecify.annotations.Nullable;

/**
 * A bounded cache of recent values, so that equal ones are made and kept once, whatever the size of
 * the configuration. Direct-mapped: a newer value takes the slot of an older one with the same hash
 * bits, so there is nothing to evict. It grows with use, so that a small file pays for a small
 * cache.
 *
 * <p>The hashes are stored side by side: in a large configuration most values are in no processor
 * cache, and a slot with another value must not cost a look at that value.
 */
final class RecentlyUsed<K, V> {
  private static final int FEWEST_BITS = 8;
  private static final int MOST_BITS = 14;

  private int bits = FEWEST_BITS;
  private int puts;
  private int[] hashes = new int[1 << FEWEST_BITS];
  private @Nullable Object[] keys = new @Nullable Object[1 << FEWEST_BITS];
  private @Nullable Object[] values = new @Nullable Object[1 << FEWEST_BITS];

  @Nullable V get(K key) {
    int hash = key.hashCode();
    int slot = slot(hash);
    return hashes[slot] == hash && key.equals(keys[slot]) ? value(slot) : null;
  }

  /** The value for a key that is a part of a text, found without creating a substring. */
  static <V> @Nullable V get(RecentlyUsed<String, V> recent, String text, int start, int end) {
    int hash = 0; // as String computes it
    for (int i = start; i < end; i++) {
      hash = 31 * hash + text.charAt(i);
    }
    int slot = recent.slot(hash);
    boolean known =
        recent.hashes[slot] == hash
            && recent.keys[slot] instanceof String key
            && key.length() == end - start
            && text.startsWith(key, start);
    return known ? recent.value(slot) : null;
  }

  void put(K key, V value) {
    if (++puts > keys.length / 2 && bits < MOST_BITS) {
      grow();
    }
    put(key.hashCode(), key, value);
  }

  /** The earlier value that equals the given one, or the given one. */
  static <T> T share(RecentlyUsed<T, T> recent, T value) {
    T known = recent.get(value);
    if (known != null) {
      return known;
    }
    recent.put(value, value);
    return value;
  }

  private void grow() {
    int[] oldHashes = hashes;
    @Nullable Object[] oldKeys = keys;
    @Nullable Object[] oldValues = values;
    bits += 2;
    hashes = new int[1 << bits];
    keys = new @Nullable Object[1 << bits];
    values = new @Nullable Object[1 << bits];
    for (int i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] != null) {
        put(oldHashes[i], oldKeys[i], oldValues[i]);
      }
    }
  }

  private void put(int hash, @Nullable Object key, @Nullable Object value) {
    int slot = slot(hash);
    hashes[slot] = hash;
    keys[slot] = key;
    values[slot] = value;
  }

  @SuppressWarnings("unchecked") // put() takes a V, and a slot with its key is not empty
  private @Nullable V value(int slot) {
    return (V) values[slot];
  }

  private int slot(int hash) {
    return (hash * 0x9E3779B9) >>> (Integer.SIZE - bits);
  }
}
