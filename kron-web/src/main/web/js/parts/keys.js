import {go, link} from './routes.js';
import {showKeys} from './dialogs.js';

/** Keys that hold on every page: `/` finds, `g` and a letter goes to a page, `?` tells the keys. */

const isTyping = (target) => target.closest?.('input, textarea, select, [contenteditable]') !== null;

/** @param pages answers the letters and their pages as they are at present */
export function keys(pages) {
  let led = false;
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)
        || document.querySelector('dialog[open]') !== null) {
      return;
    }
    const to = led && pages().find(([key]) => key === event.key);
    led = event.key === 'g';
    if (to) {
      event.preventDefault();
      go(link(to[1]));
    } else if (event.key === '/') {
      event.preventDefault();
      document.querySelector('kron-search input').focus();
    } else if (event.key === '?') {
      showKeys();
    }
  });
}
