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

  /** Ends all sessions and links of a user; how many sessions that were. */
  int end(Visitor visitor);

  /** The sessions of a user, oldest first. */
  List<SessionView> sessions(Visitor visitor);

  /** Ends one session of a user; whether there is such a one. */
  boolean end(Visitor visitor, String session);

  /**
   * A browser in which somebody is known.
   *
   * @param id which is no secret: without its key it opens nothing
   * @param address of the page
   * @param open whether a page of it is being answered now
   */
  record SessionView(String id, String address, long beganMillis, long usedMillis, boolean open) {}

  /**
   * The same way in, under each address that the page has.
   *
   * @param seconds for so long it holds
   */
  record Link(List<String> addresses, int seconds) {
    public Link {
      addresses = List.copyOf(addresses);
    }
  }
}
