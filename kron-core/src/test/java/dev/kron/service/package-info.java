/** Tests of the services: what each event means for them, and what depends on what. */
@NullMarked
package dev.kron.service;

import org.jspecify.annotations.NullMarked;
