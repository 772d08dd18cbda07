package dev.kron.scheduler.spring;

import dev.kron.scheduler.DeclarativeScheduler;
import dev.kron.scheduler.FileTaskStore;
import dev.kron.scheduler.MemoryTaskStore;
import dev.kron.scheduler.Registration;
import dev.kron.scheduler.RunInterceptor;
import dev.kron.scheduler.SchedulerListener;
import dev.kron.scheduler.SharedTaskStore;
import dev.kron.scheduler.TaskStore;
import dev.kron.scheduler.micrometer.ObservedRuns;
import dev.kron.scheduler.micrometer.SchedulerMetrics;
import dev.kron.scheduler.postgres.PostgresTaskStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** A scheduler for the application's tasks, on the store that fits. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
    })
@ConditionalOnProperty(name = "kron.scheduler.enabled", matchIfMissing = true)
@EnableConfigurationProperties(KronSchedulerProperties.class)
public final class KronSchedulerAutoConfiguration {
  /** Finds the methods that are tasks. */
  @Bean
  static KronTaskMethods kronTaskMethods(Environment environment, BeanFactory beans) {
    return new KronTaskMethods(environment, beans);
  }

  /** Beans with tasks are made at the start also where others are made when they are needed. */
  @Bean
  static LazyInitializationExcludeFilter kronTaskLazyInitializationExcludeFilter() {
    return (beanName, definition, type) -> !KronTaskMethods.of(type).isEmpty();
  }

  /** Tasks in PostgreSQL, shared by the instances of the application. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(PostgresTaskStore.class)
  @ConditionalOnBean(DataSource.class)
  @Conditional(PostgresWanted.class)
  static final class PostgresConfiguration {
    @Bean
    @ConditionalOnMissingBean({TaskStore.class, SharedTaskStore.class})
    PostgresTaskStore kronTaskStore(DataSource source, KronSchedulerProperties properties) {
      KronSchedulerProperties.Postgres chosen = properties.postgres();
      PostgresTaskStore.Builder builder =
          PostgresTaskStore.builder(source)
              .createTables(chosen.createTables())
              .haltWhenLost(chosen.haltWhenLost());
      // One at a time, so that what is refused is known by its name.
      tried("postgres.schema", chosen.schema(), () -> builder.schema(chosen.schema()).build());
      tried("postgres.lease", chosen.lease(), () -> builder.lease(chosen.lease()).build());
      return tried("postgres.grace", chosen.grace(), () -> builder.grace(chosen.grace()).build());
    }

    private static PostgresTaskStore tried(
        String property, Object value, Supplier<PostgresTaskStore> attempt) {
      try {
        return attempt.get();
      } catch (IllegalArgumentException refused) {
        throw invalid(property, value, refused.getMessage());
      }
    }
  }

  /** Whether the store is to be PostgreSQL where that is possible. */
  static final class PostgresWanted implements Condition {
    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      KronSchedulerProperties.Store chosen =
          Binder.get(context.getEnvironment())
              .bind("kron.scheduler.store", KronSchedulerProperties.Store.class)
              .orElse(KronSchedulerProperties.Store.AUTO);
      return chosen == KronSchedulerProperties.Store.AUTO
          || chosen == KronSchedulerProperties.Store.POSTGRES;
    }
  }

  /** Metrics and tracing, where the application has a registry for them. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(SchedulerMetrics.class)
  static final class MicrometerConfiguration {
    @Bean
    @ConditionalOnBean(MeterRegistry.class)
    @ConditionalOnMissingBean
    SchedulerMetrics kronSchedulerMetrics(MeterRegistry registry) {
      return new SchedulerMetrics(registry);
    }

    @Bean
    @ConditionalOnBean(SchedulerMetrics.class)
    SmartInitializingSingleton kronSchedulerMetricsWatch(
        SchedulerMetrics metrics, ObjectProvider<DeclarativeScheduler> scheduler) {
      return () -> scheduler.ifAvailable(metrics::watch);
    }

    @Bean
    @ConditionalOnBean(ObservationRegistry.class)
    @ConditionalOnMissingBean
    ObservedRuns kronObservedRuns(ObservationRegistry registry) {
      return new ObservedRuns(registry);
    }
  }

  /** The scheduler; it starts when the context is complete. A child context has its own. */
  @Bean(destroyMethod = "")
  @ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
  DeclarativeScheduler kronScheduler(
      KronSchedulerProperties properties,
      Environment environment,
      ObjectProvider<TaskStore> store,
      ObjectProvider<SharedTaskStore> shared,
      ObjectProvider<SchedulerListener> listeners,
      ObjectProvider<RunInterceptor> interceptors) {
    SharedTaskStore together = shared.getIfAvailable();
    DeclarativeScheduler.Builder builder =
        together == null
            ? DeclarativeScheduler.builder(store.getIfAvailable(() -> ownStore(properties)))
            : DeclarativeScheduler.builder(together);
    if (properties.zone() != null) {
      builder.zone(properties.zone());
    }
    choose(builder, properties, environment);
    listeners.orderedStream().forEach(builder::listener);
    interceptors.orderedStream().forEach(builder::interceptor);
    return builder.build();
  }

  /** Chooses by what tasks with a window find their seconds, on the test kit too. */
  static void choose(
      DeclarativeScheduler.Builder builder,
      KronSchedulerProperties properties,
      Environment environment) {
    String name = properties.name();
    builder.name(
        name == null ? environment.getProperty("spring.application.name", "kron-scheduler") : name);
    builder.instance(properties.instance());
  }

  private static TaskStore ownStore(KronSchedulerProperties properties) {
    return switch (properties.store()) {
      case AUTO, MEMORY -> MemoryTaskStore.create();
      case FILE -> FileTaskStore.at(properties.file());
      case POSTGRES ->
          throw invalid(
              "store",
              "postgres",
              "the application has no DataSource, or not the artifact"
                  + " dev.kron:kron-scheduler-postgres; add what is missing");
    };
  }

  /** An error that Spring Boot reports with the place where the property was set. */
  private static InvalidConfigurationPropertyValueException invalid(
      String property, Object value, @Nullable String reason) {
    return new InvalidConfigurationPropertyValueException(
        "kron.scheduler." + property, value, reason);
  }

  @Bean
  KronSchedulerLifecycle kronSchedulerLifecycle(
      DeclarativeScheduler scheduler,
      KronTaskMethods methods,
      ObjectProvider<Registration> beans,
      KronSchedulerProperties properties) {
    if (properties.shutdownTimeout().isNegative()) {
      throw invalid("shutdown-timeout", properties.shutdownTimeout(), "must not be negative");
    }
    return new KronSchedulerLifecycle(
        scheduler,
        () ->
            Stream.concat(beans.orderedStream(), methods.registrations().stream())
                .collect(Collectors.toUnmodifiableList()),
        properties.shutdownTimeout());
  }
}
