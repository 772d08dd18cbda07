package dev.kron.scheduler.spring;

import dev.kron.scheduler.DeclarativeScheduler;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The scheduler as operators see it, where the application has Spring Boot's actuator. */
@AutoConfiguration(after = KronSchedulerAutoConfiguration.class)
@ConditionalOnBean({DeclarativeScheduler.class, KronSchedulerLifecycle.class})
public final class KronActuatorAutoConfiguration {
  /** The endpoint. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
  static final class EndpointConfiguration {
    @Bean
    @ConditionalOnAvailableEndpoint
    @ConditionalOnMissingBean
    KronEndpoint kronEndpoint(DeclarativeScheduler scheduler) {
      return new KronEndpoint(scheduler);
    }
  }

  /** The health indicator. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
  static final class HealthConfiguration {
    @Bean
    @ConditionalOnEnabledHealthIndicator("kron")
    KronHealthIndicator kronHealthIndicator(
        DeclarativeScheduler scheduler, KronSchedulerLifecycle lifecycle) {
      return new KronHealthIndicator(scheduler, lifecycle);
    }
  }
}
