package dev.kron.store;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key to tell whether a secret changed without storing the secret: HMAC-SHA-256 under a random
 * key that only the daemon's user can read. A plain hash of a password could be found by guessing.
 */
public final class FingerprintKey {
  static final String FILE = "fingerprint.key";
  private static final int LENGTH_BYTES = 32;
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;
  private final boolean isNew;

  private FingerprintKey(byte[] bytes, boolean isNew) {
    this.key = new SecretKeySpec(bytes, ALGORITHM);
    this.isNew = isNew;
  }

  static FingerprintKey loadOrCreate(Disk disk, Path directory, RandomGenerator random)
      throws DiskException {
    AtomicFiles files = new AtomicFiles(disk);
    Path file = directory.resolve(FILE);
    if (disk.status(directory) == null) {
      disk.createDirectory(directory);
      disk.syncDirectory(AtomicFiles.directory(directory));
    }
    if (disk.status(file) != null) {
      byte[] bytes = files.read(file, LENGTH_BYTES);
      if (bytes.length == LENGTH_BYTES) {
        return new FingerprintKey(bytes, false);
      }
    }
    byte[] bytes = new byte[LENGTH_BYTES];
    random.nextBytes(bytes);
    files.replace(file, bytes);
    return new FingerprintKey(bytes, true);
  }

  /** Whether the key was created just now, so that earlier fingerprints cannot be compared. */
  public boolean isNew() {
    return isNew;
  }

  /** The fingerprint of a secret, in hexadecimal. */
  public String of(byte[] secret) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return HexFormat.of().formatHex(mac.doFinal(secret));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }
}
