package dev.kron.daemon.api;

import java.io.IOException;
import java.util.List;

/** The page for people, as the API knows it. */
public interface Dashboard {
  /**
   * A link that opens the page for somebody, once and soon.
   *
   * @throws IOException where the page cannot be served
   */
  Link link(Visitor visitor) throws IOException;

  /** Ends all sessions and links of a user; returns the number of sessions. */
  int end(Visitor visitor);

  /** The sessions of a user, oldest first. */
  List<SessionView> sessions(Visitor visitor);

  /** Ends one session of a user; returns whether there was such a session. */
  boolean end(Visitor visitor, String session);

  /**
   * A browser in which a user is signed in.
   *
   * @param id not secret, since without the session's key it opens nothing
   * @param address of the page
   * @param open whether a page of it is open now
   */
  record SessionView(String id, String address, long beganMillis, long usedMillis, boolean open) {}

  /**
   * A link that signs in, under each address of the page.
   *
   * @param seconds how long it is valid
   */
  record Link(List<String> addresses, int seconds) {
    public Link {
      addresses = List.copyOf(addresses);
    }
  }
}
