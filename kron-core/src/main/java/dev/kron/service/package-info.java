/** Services: what they are, the states they pass through, and what depends on what. Pure. */
@NullMarked
package dev.kron.service;

import org.jspecify.annotations.NullMarked;
