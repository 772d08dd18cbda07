/**
 * Configuration: which files are read, whether they can be trusted, what they say, and what is
 * wrong.
 */
@NullMarked
package dev.kron.config;

import org.jspecify.annotations.NullMarked;
