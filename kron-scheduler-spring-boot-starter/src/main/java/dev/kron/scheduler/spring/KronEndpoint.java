package dev.kron.scheduler.spring;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.TaskView;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** The tasks, to look at and to direct: {@code /actuator/kron}. */
@Endpoint(id = "kron")
public final class KronEndpoint {
  private final DeclarativeScheduler scheduler;

  KronEndpoint(DeclarativeScheduler scheduler) {
    this.scheduler = scheduler;
  }

  /**
   * All tasks.
   *
   * @param scheduler what it is called
   */
  public record Tasks(String scheduler, List<TaskView> tasks) {}

  /** The actions of operators on a task. */
  public enum Action {
    RUN,
    PAUSE,
    RESUME
  }

  /**
   * The outcome of an action.
   *
   * @param changed whether it made a difference
   */
  public record Done(String task, Action action, boolean changed) {}

  @ReadOperation
  public Tasks tasks() {
    return new Tasks(scheduler.name(), scheduler.tasks());
  }

  @ReadOperation
  public @Nullable TaskView task(@Selector String task) {
    return scheduler.tasks().stream()
        .filter(view -> view.name().equals(task))
        .findFirst()
        .orElse(null);
  }

  /** An action on one task; a task that there is not is not found, by whatever method. */
  @WriteOperation
  public WebEndpointResponse<Done> direct(@Selector String task, Action action) {
    if (task(task) == null) {
      return new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
    }
    boolean changed =
        switch (action) {
          case RUN -> scheduler.runNow(task);
          case PAUSE -> scheduler.pause(task);
          case RESUME -> scheduler.resume(task);
        };
    return new WebEndpointResponse<>(new Done(task, action, changed));
  }
}
