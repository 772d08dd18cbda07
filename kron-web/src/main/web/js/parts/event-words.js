import {html, nothing} from 'lit';
import {link, nameOf} from './routes.js';

/** An event of the daemon, as a line: what happened to whom, then the rest of its keys. */

const KNOWN = new Set(['id', 'time', 'level', 'component', 'event', 'identity', 'instance', 'run', 'seed', 'chosen', 'due', 'keeper', 'pid']);

export const words = (event) => event.event.replaceAll('_', ' ');

/** Whom an event is about. */
export function subject(event) {
  if (event.identity) {
    return html`<a class="plain" href=${link('job', event.identity)}><bdi>${nameOf(event.identity)}</bdi></a>`;
  }
  return event.instance ? html`<a class="plain" href=${link('service', event.instance.replace(/@\d+$/, ''))}><bdi>${event.instance}</bdi></a>` : nothing;
}

/** The keys that are worth reading, as text. */
export const details = (event) => Object.entries(event).filter(([key, value]) => !KNOWN.has(key) && value !== null && value !== '')
    .map(([key, value]) => (key === 'reason' ? value : `${key.replaceAll('_', ' ')} ${value}`)).join(' · ');

/** Everything that a filter looks at. */
export const searchable = (event) => Object.values(event).join(' ').toLowerCase();
