package dev.kron.scheduler.postgres;

import dev.kron.cluster.DatabaseClock;
import dev.kron.cluster.Terms;
import dev.kron.scheduler.SharedTaskStore;
import dev.kron.scheduler.TaskConfiguration;
import dev.kron.scheduler.TaskStoreException;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Tasks in PostgreSQL, shared by any number of instances of a program.
 *
 * <pre>{@code
 * var store = PostgresTaskStore.on(dataSource);
 * var scheduler = DeclarativeScheduler.builder(store).name("shop").zone(ZoneId.of("Europe/Paris")).build();
 * }</pre>
 *
 * <p>Each instance has two connections: one for tasks, one that does nothing but renew its lease.
 */
public final class PostgresTaskStore implements SharedTaskStore {
  private final DataSource source;
  private final Schema schema;
  private final Terms terms;
  private final boolean createTables;
  private final boolean haltWhenLost;
  private final DatabaseClock clock = new DatabaseClock();

  private PostgresTaskStore(Builder builder) {
    source = builder.source;
    schema = new Schema(builder.schema);
    terms = new Terms(builder.lease, builder.grace);
    createTables = builder.createTables;
    haltWhenLost = builder.haltWhenLost;
  }

  /** A store with a lease of 30 s and a grace of 10 s, in tables that it makes if need be. */
  public static PostgresTaskStore on(DataSource source) {
    return builder(source).build();
  }

  public static Builder builder(DataSource source) {
    return new Builder(Objects.requireNonNull(source, "source"));
  }

  /** The statements that make the tables, for those who may not make them themselves. */
  public static String ddl(String schema) {
    return new Schema(schema).ddl();
  }

  /** The choices for a store; the same in all instances. */
  public static final class Builder {
    private final DataSource source;
    private String schema = "kron";
    private Duration lease = Duration.ofSeconds(30);
    private Duration grace = Duration.ofSeconds(10);
    private boolean createTables = true;
    private boolean haltWhenLost;

    private Builder(DataSource source) {
      this.source = source;
    }

    /** The schema of the tables; {@code kron} if not chosen. */
    public Builder schema(String chosen) {
      schema = Objects.requireNonNull(chosen, "schema");
      return this;
    }

    /**
     * The time for which an instance is believed without a word from it, half a second to an hour;
     * 30 s if not chosen. A task of an instance that died starts again after lease and grace.
     */
    public Builder lease(Duration chosen) {
      lease = Objects.requireNonNull(chosen, "lease");
      return this;
    }

    /**
     * The time in which callbacks have to end that are interrupted because the lease is over; 10 s.
     */
    public Builder grace(Duration chosen) {
      grace = Objects.requireNonNull(chosen, "grace");
      return this;
    }

    /** Whether tables that are missing are made; they are if not chosen. */
    public Builder createTables(boolean chosen) {
      createTables = chosen;
      return this;
    }

    /**
     * Ends the whole process, at once, when the lease is over: for callbacks that do not obey
     * interruption. Not chosen by default.
     */
    public Builder haltWhenLost(boolean chosen) {
      haltWhenLost = chosen;
      return this;
    }

    public PostgresTaskStore build() {
      return new PostgresTaskStore(this);
    }
  }

  /** The database's clock, as last measured. */
  @Override
  public Clock clock() {
    return clock;
  }

  @Override
  public Membership join(Member member, List<TaskConfiguration> tasks) throws IOException {
    requireText("the scheduler's name", member.schedulerName());
    tasks.forEach(task -> requireText("a task's name", task.name()));
    Member known =
        haltWhenLost
            ? new Member(member.identifier(), member.schedulerName(), PostgresTaskStore::halt)
            : member;
    return PostgresMembership.join(
        new Tables(schema, terms, createTables), source, known, tasks, clock);
  }

  /**
   * Names are refused that the database would take for others, or refuse without saying which they
   * were.
   */
  private static void requireText(String what, String name) {
    int at = 0;
    while (at < name.length()) {
      int character = name.codePointAt(at);
      if (character == 0 || Character.getType(character) == Character.SURROGATE) {
        throw new TaskStoreException(
            "PostgreSQL cannot keep "
                + what
                + ", \""
                + name.substring(0, at)
                + "…\": character "
                + (at + 1)
                + " of it, U+"
                + HexFormat.of().toHexDigits((char) character).toUpperCase(Locale.ROOT)
                + ", is no text",
            null);
      }
      at += Character.charCount(character);
    }
  }

  private static void halt() {
    System.err.println("kron: the lease of this instance is over; the process ends, as was chosen");
    Runtime.getRuntime().halt(75);
  }

  @Override
  public String toString() {
    return "PostgreSQL, schema " + schema.in("$schema");
  }
}
