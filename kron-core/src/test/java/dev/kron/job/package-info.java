/** Tests of the jobs: what each event means for them, and which period comes next. */
@NullMarked
package dev.kron.job;

import org.jspecify.annotations.NullMarked;
