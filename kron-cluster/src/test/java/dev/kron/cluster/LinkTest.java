package dev.kron.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.UnknownHostException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
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

  @Test
  void wholeTablesAreReadAgainByWhoeverHasTheConnectionNext() throws Exception {
    List<String> executed = new ArrayList<>();
    DataSource source = answering(DataSource.class, executed);
    try (var link = new Link(source, true)) {
      link.each(connection -> "");
      assertTrue(
          executed.contains("SET enable_seqscan TO off; SET enable_memoize TO off"),
          executed.toString());
    }
    assertEquals(
        "SET enable_seqscan TO DEFAULT; SET enable_memoize TO DEFAULT", executed.getLast());
    executed.clear();
    try (var link = new Link(source)) {
      link.each(connection -> "");
    }
    assertTrue(executed.stream().noneMatch(sql -> sql.contains("seqscan")), executed.toString());
  }

  /** Something that takes note of what is executed; answers that are objects do the same. */
  private static <T> T answering(Class<T> type, List<String> executed) {
    return type.cast(
        Proxy.newProxyInstance(
            LinkTest.class.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("execute")) {
                executed.add(String.valueOf(arguments[0]));
                return true;
              }
              Class<?> answer = method.getReturnType();
              if (answer == Connection.class || answer == Statement.class) {
                return answering(answer, executed);
              }
              return answer == int.class ? (Object) 0 : null;
            }));
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
