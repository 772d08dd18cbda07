/** What the cron dialects accept and reject, and the calendar against a brute-force oracle. */
@NullMarked
package dev.kron.cron;

import org.jspecify.annotations.NullMarked;
