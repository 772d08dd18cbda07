/** What each kind of receiver is sent, and how: mail, web hooks, chats, pagers, pings. */
@NullMarked
package dev.kron.notify.channel;

import org.jspecify.annotations.NullMarked;
