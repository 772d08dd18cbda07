/** What krontab files may say, shown by example. */
@NullMarked
package dev.kron.config;

import org.jspecify.annotations.NullMarked;
