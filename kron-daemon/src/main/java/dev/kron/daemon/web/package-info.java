/**
 * The dashboard's access: a loopback port, links that open it once, sessions, and signatures
 * instead of anything that could be stolen on the way. Nothing of it is loaded before somebody
 * asks.
 */
@NullMarked
package dev.kron.daemon.web;

import org.jspecify.annotations.NullMarked;
