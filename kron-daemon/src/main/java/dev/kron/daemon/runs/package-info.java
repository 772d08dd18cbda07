/** Runs of jobs and of services in common: how they are started, noted and read. */
@NullMarked
package dev.kron.daemon.runs;

import org.jspecify.annotations.NullMarked;
