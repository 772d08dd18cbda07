package dev.kron.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.UnknownHostException;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class LinkTest {
  @Test
  void aConnectionThatFailsSaysWhy() {
    assertEquals(
        "The database says: The connection attempt failed."
            + " (java.net.UnknownHostException: db.example)",
        said(
            new SQLException(
                "The connection attempt failed.", new UnknownHostException("db.example"))));
    assertEquals(
        "The database says: Connection to db.example refused.",
        said(
            new SQLException(
                "Connection to db.example refused.", new IOException("db.example refused"))));
    assertEquals("The database says: ERROR: no", said(new SQLException("ERROR: no")));
  }

  private static String said(SQLException failed) {
    DataSource source =
        (DataSource)
            Proxy.newProxyInstance(
                LinkTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  throw failed;
                });
    try (var link = new Link(source)) {
      return String.valueOf(
          assertThrows(IOException.class, () -> link.each(connection -> "")).getMessage());
    }
  }
}
