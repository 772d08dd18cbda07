/** Crontabs of cron, and what becomes of them. */
@NullMarked
package dev.kron.cli.crontab;

import org.jspecify.annotations.NullMarked;
