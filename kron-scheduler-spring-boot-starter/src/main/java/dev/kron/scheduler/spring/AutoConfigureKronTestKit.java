package dev.kron.scheduler.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Puts the application's tasks on the test kit: a test gets a {@link
 * dev.kron.scheduler.testkit.SchedulerTestKit} and lets time pass by hand. The clock begins at
 * {@code kron.scheduler.test.start}, 2026-01-01T00:00:00Z if not chosen. Needs {@code
 * kron-scheduler-testkit} in test scope.
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ImportAutoConfiguration({KronTestKitAutoConfiguration.class, KronSchedulerAutoConfiguration.class})
public @interface AutoConfigureKronTestKit {}
