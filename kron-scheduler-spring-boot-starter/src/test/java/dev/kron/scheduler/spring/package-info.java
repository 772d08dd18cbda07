@NullMarked
package dev.kron.scheduler.spring;

import org.jspecify.annotations.NullMarked;
