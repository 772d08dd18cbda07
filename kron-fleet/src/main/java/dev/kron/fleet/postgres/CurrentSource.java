package dev.kron.fleet.postgres;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections to a database whose password may change: each new one asks for it. */
public final class CurrentSource extends PGSimpleDataSource {
  private static final long serialVersionUID = 1L;
  private static final int SECONDS = 5;

  private final transient Secrets secrets;

  /** The place where name and password are read. */
  @FunctionalInterface
  public interface Secrets {
    Secret read() throws IOException;
  }

  /** Name and password. */
  public record Secret(String user, String password) {
    /** Nothing of it, wherever it is printed. */
    @Override
    public String toString() {
      return "Secret";
    }
  }

  CurrentSource(String url, Secrets secrets) {
    this.secrets = secrets;
    setUrl(url);
    setConnectTimeout(SECONDS);
    setLoginTimeout(SECONDS);
    setSocketTimeout(SECONDS); // until the link sets its own
    setTcpKeepAlive(true);
    if (getApplicationName() == null) {
      setApplicationName("kron");
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    try {
      Secret secret = secrets.read();
      return getConnection(secret.user(), secret.password());
    } catch (IOException e) {
      throw new SQLException(e.getMessage(), e);
    }
  }
}
