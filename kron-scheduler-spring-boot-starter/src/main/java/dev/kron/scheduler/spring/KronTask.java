package dev.kron.scheduler.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a bean a task: one without parameters, or with one of type {@link
 * dev.kron.scheduler.RunContext}. Every text may have placeholders ({@code ${…}}); durations are
 * written as in Spring Boot's properties ({@code 10s}, {@code PT10S}).
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface KronTask {
  /** The cron expression: five POSIX fields. */
  String value();

  /** The task's name, under which its history is kept; bean and method if not chosen. */
  String name() default "";

  /** The zone in which the expression is meant; the scheduler's zone if not chosen. */
  String zone() default "";

  /** The time from a failure to the next attempt. */
  String retryDelay() default "1m";

  /** The number of retries at most; without limit if not chosen. */
  String retryLimit() default "";

  /** The time after which a run is interrupted and has failed; none if not chosen. */
  String timeout() default "";

  /** The stretch of time after each occurrence in which it starts; none if not chosen. */
  String window() default "";
}
