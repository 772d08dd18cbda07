/** Jobs: what a krontab entry says, the state that is kept of it, and the machine that moves it. */
@NullMarked
package dev.kron.job;

import org.jspecify.annotations.NullMarked;
