/**
 * The dashboard's way in: a port of loopback, links that open it once, sessions, and signatures
 * instead of anything that could be stolen on the way. Nothing of it is there before somebody asks.
 */
@NullMarked
package dev.kron.daemon.web;

import org.jspecify.annotations.NullMarked;
