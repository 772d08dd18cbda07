package dev.kron.scheduler.spring;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.RunInterceptor;
import dev.kron.scheduler.SchedulerListener;
import dev.kron.scheduler.testkit.SchedulerTestKit;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** A scheduler whose time a test moves, in place of the real one. */
@AutoConfiguration(before = KronSchedulerAutoConfiguration.class)
@EnableConfigurationProperties(KronSchedulerProperties.class)
public final class KronTestKitAutoConfiguration {
  private static final String START = "kron.scheduler.test.start";

  @Bean
  SchedulerTestKit kronSchedulerTestKit(
      KronSchedulerProperties properties,
      Environment environment,
      ObjectProvider<SchedulerListener> listeners,
      ObjectProvider<RunInterceptor> interceptors) {
    Instant start = start(environment.getProperty(START, "2026-01-01T00:00:00Z"));
    ZoneId zone = properties.zone() == null ? ZoneId.systemDefault() : properties.zone();
    return SchedulerTestKit.startingAt(
        start.atZone(zone),
        builder -> {
          KronSchedulerAutoConfiguration.choose(builder, properties, environment);
          listeners.orderedStream().forEach(builder::listener);
          interceptors.orderedStream().forEach(builder::interceptor);
          return builder;
        });
  }

  private static Instant start(String chosen) {
    try {
      return Instant.parse(chosen);
    } catch (DateTimeParseException notAnInstant) {
      throw new InvalidConfigurationPropertyValueException(
          START, chosen, "must be an instant such as 2026-01-01T00:00:00Z");
    }
  }

  @Bean(destroyMethod = "")
  DeclarativeScheduler kronScheduler(SchedulerTestKit kit) {
    return kit.scheduler();
  }
}
