/**
 * Tasks in a Spring Boot application: {@link dev.kron.scheduler.spring.KronTask} on methods, or
 * beans of type {@link dev.kron.scheduler.Registration}.
 */
@NullMarked
package dev.kron.scheduler.spring;

import org.jspecify.annotations.NullMarked;
