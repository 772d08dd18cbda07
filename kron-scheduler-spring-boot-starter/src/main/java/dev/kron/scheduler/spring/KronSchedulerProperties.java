package dev.kron.scheduler.spring;

import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The choices for the application's scheduler.
 *
 * @param enabled Whether tasks are scheduled.
 * @param name What the scheduler is called; the same in all instances that share tasks. The
 *     application's name if not chosen.
 * @param zone Where cron expressions are meant; the machine's zone if not chosen. Choose it where
 *     instances share tasks.
 * @param instance Which of many instances this is, for windows of tasks that are not shared.
 * @param store Where tasks are remembered.
 * @param file The file of the store "file".
 * @param shutdownTimeout How long a shutdown waits for callbacks before it interrupts them.
 * @param postgres The store "postgres".
 */
@ConfigurationProperties("kron.scheduler")
public record KronSchedulerProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String name,
    @Nullable ZoneId zone,
    @DefaultValue("") String instance,
    @DefaultValue("auto") Store store,
    @DefaultValue("state/tasks.json") Path file,
    @DefaultValue("20s") Duration shutdownTimeout,
    @DefaultValue Postgres postgres) {

  /** Where tasks are remembered. */
  public enum Store {
    /**
     * In PostgreSQL where the application has a data source and kron-scheduler-postgres; else in
     * memory.
     */
    AUTO,
    /** As long as the process lives. */
    MEMORY,
    /** In a file, for one process. */
    FILE,
    /** In PostgreSQL, for any number of instances. */
    POSTGRES
  }

  /**
   * The store in PostgreSQL.
   *
   * @param schema The schema of its tables.
   * @param lease How long an instance is believed without a word from it.
   * @param grace How long callbacks have to end that are interrupted because the lease is over.
   * @param createTables Whether tables that are missing are made.
   * @param haltWhenLost Whether the process ends at once when its lease is over.
   */
  public record Postgres(
      @DefaultValue("kron") String schema,
      @DefaultValue("30s") Duration lease,
      @DefaultValue("10s") Duration grace,
      @DefaultValue("true") boolean createTables,
      @DefaultValue("false") boolean haltWhenLost) {}
}
