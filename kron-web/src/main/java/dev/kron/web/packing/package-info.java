/**
 * The build's step that makes of the page's sources what is served: names with hashes, imports that
 * lead to them, everything compressed. No part of the program.
 */
@NullMarked
package dev.kron.web.packing;

import org.jspecify.annotations.NullMarked;
