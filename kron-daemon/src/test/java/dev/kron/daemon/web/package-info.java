/** The dashboard's way in, and those who try others. */
@NullMarked
package dev.kron.daemon.web;

import org.jspecify.annotations.NullMarked;
