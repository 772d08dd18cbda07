package dev.kron.daemon.web;

import java.util.List;

/**
 * The address of the dashboard.
 *
 * @param port a fixed loopback port; {@link #ON_DEMAND} for any free one, while somebody needs it
 * @param origins other origins under which it is reached, through a proxy or a tunnel
 */
public record WebSettings(int port, List<String> origins) {
  public static final int ON_DEMAND = 0;

  public static final WebSettings USUAL = new WebSettings(ON_DEMAND, List.of());

  public WebSettings {
    origins = List.copyOf(origins);
  }
}
