/** The daemon's reports about itself: its log, its counters, its faults. */
@NullMarked
package dev.kron.daemon.log;

import org.jspecify.annotations.NullMarked;
