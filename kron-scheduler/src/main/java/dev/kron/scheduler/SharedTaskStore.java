package dev.kron.scheduler;

import java.io.IOException;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A store in which the instances of one program remember their tasks together. Every row has a
 * version, and a row is only ever replaced by somebody who knows its present one: of all who want
 * to start a task at the same time, one does.
 */
public interface SharedTaskStore {
  /** The clock of all instances. */
  Clock clock();

  /**
   * Takes part, with the given tasks, whose configuration is in force from now on: in one
   * transaction, all or nothing. Tasks that no live instance registers, and that are not running,
   * are forgotten.
   *
   * @throws TaskZoneMismatchException if a task is remembered with another zone
   */
  Membership join(Member member, List<TaskConfiguration> tasks) throws IOException;

  /**
   * An instance that takes part.
   *
   * @param identifier that no other instance has or had
   * @param schedulerName the same in all instances that share tasks
   * @param whenLapsed to be called, by any thread, when others may take up what this instance runs
   */
  record Member(String identifier, String schedulerName, Runnable whenLapsed) {}

  /** The state of a task, under which configuration it is, and how often that has changed. */
  record Row(TaskState state, TaskConfiguration configuration, long version) {}

  /** The outcome of joining, by the number of tasks. */
  record Joined(int newTasks, int preservedTasks, int overriddenTasks, int forgottenTasks) {}

  /** The store in the hands of one instance; except where it says otherwise, of one thread. */
  interface Membership extends AutoCloseable {
    Joined joined();

    /** The rows that changed since this was asked last; at first all of them. */
    List<Row> changes() throws IOException;

    /** The rows of these tasks as they are now; those that are gone are left out. */
    List<Row> look(Collection<String> taskNames) throws IOException;

    /**
     * Replaces the states of those rows that still have the version given, and lets their version
     * rise; durable when it returns. A row that is marked as running by this instance is written
     * only while its lease holds; one that another instance is running can be taken up only when
     * that is lost.
     *
     * @return the new versions of the rows that were replaced
     */
    Map<String, Long> replace(Collection<Row> rows) throws IOException;

    /** Whether an instance is lost or has left, as far as {@link #changes} has seen. */
    boolean gone(String identifier);

    /** Whether the lease holds; asked by any thread. */
    boolean mayStart();

    /** Takes no part any more. */
    @Override
    void close() throws IOException;
  }
}
