/** What runs of jobs and of services have in common: how they are started, noted and read. */
@NullMarked
package dev.kron.daemon.runs;

import org.jspecify.annotations.NullMarked;
