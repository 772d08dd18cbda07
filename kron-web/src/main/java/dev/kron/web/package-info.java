/** The dashboard's page, as it is served. */
@NullMarked
package dev.kron.web;

import org.jspecify.annotations.NullMarked;
