/** Entries that are legal in a krontab but will surprise, found without running anything. */
@NullMarked
package dev.kron.cli.lint;

import org.jspecify.annotations.NullMarked;
