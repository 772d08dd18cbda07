/** The common part of runs of jobs and of services: how they are started, noted and read. */
@NullMarked
package dev.kron.daemon.runs;

import org.jspecify.annotations.NullMarked;
