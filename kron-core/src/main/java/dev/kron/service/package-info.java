/**
 * Services: their specifications, states and dependencies, and the machine that moves them. Pure.
 */
@NullMarked
package dev.kron.service;

import org.jspecify.annotations.NullMarked;
