package dev.kron.json;

import java.io.IOException;

/** A text that is not JSON; the message says where it stops being so. */
public final class JsonSyntaxException extends IOException {
  private static final long serialVersionUID = 1L;

  JsonSyntaxException(String message) {
    super(message);
  }
}
