@NullMarked
package dev.kron.cli.crontab;

import org.jspecify.annotations.NullMarked;
