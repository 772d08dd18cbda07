package dev.kron.notify.channel;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The signature of a web hook, as Standard Webhooks defines it. */
final class Signature {
  private static final String PREFIX = "whsec_";

  private Signature() {}

  /**
   * {@code v1,} and the base64 of the HMAC-SHA256 of id, time and body.
   *
   * @param key {@code whsec_} and base64, or any text, whose bytes are taken as they are
   */
  static String of(String key, String id, long epochSecond, String body) {
    try {
      byte[] bytes =
          key.startsWith(PREFIX)
              ? Base64.getDecoder().decode(key.substring(PREFIX.length()))
              : key.getBytes(StandardCharsets.UTF_8);
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(bytes, "HmacSHA256"));
      String signed = id + "." + epochSecond + "." + body;
      return "v1,"
          + Base64.getEncoder()
              .encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      // Not with its cause: the cause may quote the key.
      throw new IllegalStateException("HMAC_KEY is no key: whsec_ is followed by base64");
    }
  }
}
