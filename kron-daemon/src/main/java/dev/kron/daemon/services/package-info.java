/** Services: what is wanted up, how it gets there and stays there. Knows nothing of jobs. */
@NullMarked
package dev.kron.daemon.services;

import org.jspecify.annotations.NullMarked;
