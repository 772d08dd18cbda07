import {html} from 'lit';
import {AuthorityController} from './authority.js';
import {get, Page} from './page.js';
import {millis, now, relative, ticks} from './times.js';

const EVERY_MILLIS = 5_000;
/** Smaller differences between two clocks are the way of the answer. */
const SAME_CLOCK_MILLIS = 2_000;

/**
 * The base of a fleet's pages. What other nodes do is no event of this daemon, so the fleet's database is asked again
 * every five seconds while the page is looked at.
 */
export class FleetPage extends Page {
  constructor() {
    super();
    this.authority = new AuthorityController(this);
    this.ahead = 0;
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.again);
  }

  async load(signal) {
    clearTimeout(this.again);
    try {
      const status = await get('/v1/fleet', undefined, signal);
      const ahead = status.database === null ? this.ahead : millis(status.database.now) - now();
      this.ahead = Math.abs(ahead) > SAME_CLOCK_MILLIS ? ahead : 0;
      return {status, ...(await this.loadFrom(status, signal))};
    } finally {
      if (!signal.aborted) {
        this.again = setTimeout(() => this.isAway || this.reload(), EVERY_MILLIS);
      }
    }
  }

  /** What a page needs beside how this machine stands, one thing after the other: few may ask the database at a time. */
  async loadFrom(_status, _signal) {
    return {};
  }

  concerns({component, identity}) {
    return ['fleet', 'config', 'control', 'daemon'].includes(component) || (component === 'job' && identity?.startsWith('fleet:'));
  }

  /** What time it is by the fleet's clock, which is its database's. */
  get now() {
    return now() + this.ahead;
  }

  /** How long ago a moment of the fleet's clock was. */
  ago(time) {
    return time ? html`<span class="ago">${ticks(() => relative(millis(time) - this.ahead))}</span>` : '';
  }
}
