@NullMarked
package dev.kron.notify.channel;

import org.jspecify.annotations.NullMarked;
