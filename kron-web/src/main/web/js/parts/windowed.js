import {html} from 'lit';
import {guard} from 'lit/directives/guard.js';
import {repeat} from 'lit/directives/repeat.js';

const BEYOND = 12;
const CHUNK = 60;
/** So many rows are drawn anew in one frame at most: the others keep what they show until the next. */
const FRESH = 16;

/**
 * A list of rows of one height, of which only those in view are in the document. Rows are loaded in chunks as they
 * come into view: `fetch(offset, limit, signal)` answers `{rows, total, matched, asOf}`. Rows keep their place while they are
 * loaded anew, so nothing flickers.
 */
export class WindowedRows {
  constructor(host, {rowHeight, fetch}) {
    this.host = host;
    this.rowHeight = rowHeight;
    this.fetch = fetch;
    this.rows = new Map();
    this.known = undefined;
    this.first = 0;
    this.last = 0;
    this.frame = 0;
    this.generation = 0;
    this.shown = 0;
    this.drawn = new Map();
    this.seen = () => {
      if (this.frame === 0) {
        this.frame = requestAnimationFrame(() => {
          this.frame = 0;
          this.look();
        });
      }
    };
    host.addController(this);
  }

  hostConnected() {
    addEventListener('scroll', this.seen, {passive: true});
    addEventListener('resize', this.seen);
  }

  hostDisconnected() {
    removeEventListener('scroll', this.seen);
    removeEventListener('resize', this.seen);
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  hostUpdated() {
    this.look();
  }

  get total() {
    return this.known?.total ?? 0;
  }

  get matched() {
    return this.known?.matched ?? this.total;
  }

  /** Whether what is shown belongs to an earlier filter or order. */
  get isStale() {
    return this.shown !== this.generation;
  }

  get asOf() {
    return this.known?.asOf;
  }

  /** Where the rows are in the document. */
  get body() {
    return this.host.querySelector('[data-rows]');
  }

  /** Another filter, another order: what is shown stays until the first rows of the other are there. */
  reset() {
    this.generation++;
  }

  look() {
    const {body} = this;
    if (body === null) {
      return;
    }
    const top = body.getBoundingClientRect().top;
    const first = Math.max(0, Math.floor(-top / this.rowHeight) - BEYOND);
    const last = Math.min(this.matched, Math.ceil((innerHeight - top) / this.rowHeight) + BEYOND);
    if (first !== this.first || last !== this.last) {
      this.first = first;
      this.last = last;
      this.host.requestUpdate();
    }
    this.fill();
  }

  /** Loads what is in view and not there; one request at a time. */
  async fill() {
    if (this.filling || this.known === undefined || this.isStale) {
      return;
    }
    this.filling = true;
    try {
      for (let chunk = this.missing(); chunk !== undefined && this.host.isConnected; chunk = this.missing()) {
        await this.take(chunk, this.host.ended?.signal);
        this.host.requestUpdate();
      }
    } catch (error) {
      if (error.name !== 'AbortError') {
        this.host.problem = error;
      }
    } finally {
      this.filling = false;
    }
  }

  missing() {
    for (let i = this.first; i < this.last; i++) {
      if (!this.rows.has(i)) {
        return Math.floor(i / CHUNK) * CHUNK;
      }
    }
    return undefined;
  }

  async take(offset, signal) {
    const {generation} = this;
    const answer = await this.fetch(offset, CHUNK, signal);
    if (generation !== this.generation) {
      return answer;
    }
    if (this.isStale || this.known?.matched !== (answer.matched ?? answer.total)) {
      this.rows.clear();
      this.shown = generation;
    }
    this.known = {total: answer.total, matched: answer.matched ?? answer.total, asOf: answer.asOf};
    this.begin();
    answer.rows.forEach((row, i) => this.rows.set(offset + i, row));
    for (let i = offset + answer.rows.length; i < Math.min(offset + CHUNK, this.known.matched); i++) {
      this.rows.set(i, undefined);
    }
    return answer;
  }

  /** Before anything was drawn nobody knows what is in view: the first rows are. */
  begin() {
    if (this.last === 0) {
      this.last = Math.min(CHUNK, this.matched);
    }
  }

  /** Loads again what is in view, and forgets the rest; answers what came with it. */
  async load(signal) {
    if (this.isStale) {
      return this.take(0, signal);
    }
    const from = Math.floor(this.first / CHUNK) * CHUNK;
    const to = Math.max(this.last, from + 1);
    for (const index of [...this.rows.keys()]) {
      if (index < from || index >= Math.ceil(to / CHUNK) * CHUNK) {
        this.rows.delete(index);
      }
    }
    let answer = await this.take(from, signal);
    for (let offset = from + CHUNK; offset < Math.min(to, this.matched); offset += CHUNK) {
      answer = await this.take(offset, signal);
    }
    return answer;
  }

  /** What is shown now, by index: rows in view, as far as they can be drawn in one frame. */
  due() {
    const shown = new Map();
    let fresh = 0;
    for (let i = this.first; i < Math.min(this.last, this.matched); i++) {
      const value = this.rows.get(i);
      const isFresh = value !== undefined && this.drawn.get(i) !== value;
      fresh += isFresh ? 1 : 0;
      const now = isFresh && fresh > FRESH ? this.drawn.get(i) : value;
      if (now !== undefined) {
        shown.set(i, now);
      }
    }
    this.drawn = shown;
    if (fresh > FRESH) {
      requestAnimationFrame(() => this.host.requestUpdate());
    }
    return shown;
  }

  /**
   * The rows in view: what a function makes of each, at its place. Those that were there are left alone.
   *
   * @param seen what a row shows beside its own value, by its index
   */
  render(row, role = 'rowgroup', seen = () => []) {
    const shown = this.due();
    return html`<div class="rows" role=${role} data-rows .style=${`height:${this.matched * this.rowHeight}px`}>${repeat(shown.keys(), (i) => i, (i) => {
      const value = shown.get(i);
      return guard([value, this.matched, this.rowHeight, ...seen(i)], () => row(value, i, `transform:translateY(${i * this.rowHeight}px)`));
    })}</div>`;
  }
}

