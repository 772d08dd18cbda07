/** The two cron dialects and the calendar: which instants match, next, previous. */
@NullMarked
package dev.kron.cron;

import org.jspecify.annotations.NullMarked;
