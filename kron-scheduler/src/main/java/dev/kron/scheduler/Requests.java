package dev.kron.scheduler;

import dev.kron.scheduler.SchedulerEvent.TaskEvent;
import dev.kron.scheduler.SchedulerEvent.TaskPaused;
import dev.kron.scheduler.SchedulerEvent.TaskResumed;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests of callers that concern single tasks. Any thread may ask while the scheduler is
 * running, and at no other time; the rest is the loop's.
 */
final class Requests {
  private final Queue<TaskRequest> waiting = new ArrayDeque<>();
  private boolean open;

  /** The requests that were done and are not durable yet. */
  private final List<Done> done = new ArrayList<>();

  /** A request, what takes it back, and what is told once it is durable. */
  private record Done(TaskRequest request, Runnable takeBack, TaskEvent event) {}

  synchronized void open() {
    open = true;
  }

  /** Takes no more requests, and refuses those that nobody will come to. */
  void close() {
    List<TaskRequest> refused;
    synchronized (this) {
      open = false;
      refused = takeAll();
    }
    refused.forEach(TaskRequest::refuse);
  }

  void add(TaskRequest request) {
    synchronized (this) {
      if (open) {
        waiting.add(request);
        return;
      }
    }
    request.refuse();
  }

  private synchronized List<TaskRequest> takeAll() {
    List<TaskRequest> taken = List.copyOf(waiting);
    waiting.clear();
    return taken;
  }

  synchronized boolean isEmpty() {
    return waiting.isEmpty();
  }

  /**
   * All requests are done, as far as the table is concerned. Runs come last, as their starts are
   * told last: who asked at the same time cannot tell in which order.
   */
  void obey(TaskTable table, long nowMillis) {
    if (isEmpty()) {
      return;
    }
    List<TaskRequest> runs = new ArrayList<>();
    for (TaskRequest request : takeAll()) {
      Task task = table.find(request.taskName);
      if (task == null) {
        request.answer.completeExceptionally(new TaskNotFoundException(request.taskName));
      } else if (request.kind == TaskRequest.Kind.RUN_NOW) {
        runs.add(request);
      } else {
        pauseOrResume(request, task, table, nowMillis);
      }
    }
    for (TaskRequest request : runs) {
      Task task = table.find(request.taskName);
      if (task == null || task.occupied()) {
        request.answer.complete(false);
      } else {
        table.startNow(task, nowMillis).asked = request;
      }
    }
  }

  private void pauseOrResume(TaskRequest request, Task task, TaskTable table, long nowMillis) {
    boolean pause = request.kind == TaskRequest.Kind.PAUSE;
    if (task.paused() == pause) {
      request.answer.complete(false);
      return;
    }
    Instant now = Instant.ofEpochMilli(nowMillis);
    TaskEvent event = pause ? new TaskPaused(now, task.name()) : new TaskResumed(now, task.name());
    long before = task.pausedMillis();
    done.add(new Done(request, () -> table.pause(task, before), event));
    table.pause(task, pause ? nowMillis : Task.NEVER);
  }

  /** All that was done is taken back: it could not be made durable. */
  void takeBack(@Nullable Throwable cause) {
    done.reversed().forEach(each -> each.takeBack().run());
    done.forEach(each -> each.request().fail(cause));
    done.clear();
  }

  /** The requests of one task are taken back: they cannot be written. */
  void takeBack(Task task, Throwable cause) {
    List<Done> its =
        done.stream().filter(each -> each.request().taskName.equals(task.name())).toList();
    its.reversed().forEach(each -> each.takeBack().run());
    its.forEach(each -> each.request().fail(cause));
    done.removeAll(its);
  }

  /** The requests of a task are looked at again: somebody else was faster to change it. */
  void again(Task task) {
    done.removeIf(
        each -> {
          boolean same = each.request().taskName.equals(task.name());
          if (same) {
            add(each.request());
          }
          return same;
        });
  }

  /** All requests that wait fail. */
  void failAll(Throwable cause) {
    takeAll().forEach(request -> request.fail(cause));
  }

  /** A turn that failed left what was done between two chairs; the scheduler stops now. */
  void refuseDone() {
    done.forEach(each -> each.request().refuse());
    done.clear();
  }

  /** The requests that were done are answered: they are durable. */
  void answer(Consumer<TaskEvent> told) {
    for (Done each : done) {
      told.accept(each.event());
      each.request().answer.complete(true);
    }
    done.clear();
  }
}
