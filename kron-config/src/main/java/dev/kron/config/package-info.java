/** Krontab files: which are read, whether they can be trusted, what they say, what is wrong. */
@NullMarked
package dev.kron.config;

import org.jspecify.annotations.NullMarked;
