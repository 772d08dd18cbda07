import {html, nothing} from 'lit';
import {follow, subscribe} from '../connection/connection.js';
import {tell} from './dialogs.js';
import {KronElement} from './element.js';
import {Lines} from './lines.js';
import {AGAIN_MILLIS, isPassing} from './page.js';
import {clock, count, now} from './times.js';

const LINE = 18;
const BEYOND = 20;
/** So much of an output's end is read; a download has all of it. */
const TAIL_BYTES = 20 * 1024 * 1024;
/** A line is drawn up to here where it is not wrapped. */
const WIDEST = 4_000;
/** What comes before a pause of this length was there already; its time is not known. */
const CAUGHT_UP_MILLIS = 400;
const SEARCH_AT_ONCE = 4_000;
const MOST_FOUND = 10_000;

/** Output as it was written, live while it goes on: only what is in view is in the document. */
class Output extends KronElement {
  static properties = {
    path: {}, query: {attribute: false}, name: {}, wrap: {state: true}, stamps: {state: true}, following: {state: true}, asked: {state: true},
    found: {state: true}, at: {state: true}, problem: {state: true}, isLive: {state: true}, tick: {state: true},
  };

  constructor() {
    super();
    Object.assign(this, {path: undefined, query: {}, name: 'output', wrap: true, stamps: false, following: true, asked: '', found: [], at: -1, isLive: false, tick: 0});
    this.problem = undefined;
    this.begin();
    this.frame = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    this.unsubscribe = subscribe((message) => message.type === 'back' && this.read());
    this.observer = new ResizeObserver(() => this.requestUpdate());
    this.observer.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.reading?.abort();
    clearTimeout(this.again);
    this.unsubscribe();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
  }

  willUpdate(changed) {
    if (changed.has('path') || (changed.has('query') && JSON.stringify(changed.get('query')) !== JSON.stringify(this.query))) {
      this.begin();
      this.found = [];
      this.read();
    }
  }

  begin() {
    this.lines = new Lines();
    this.rows = [0];
    this.measured = undefined;
  }

  /** Reads from where it was, or the end of what there is, and goes on as it grows. */
  async read() {
    clearTimeout(this.again);
    this.reading?.abort();
    this.reading = new AbortController();
    const {signal} = this.reading;
    if (this.lines.bytes >= TAIL_BYTES) {
      this.begin();
    }
    const {lines} = this;
    const from = lines.bytes === 0 ? {tail: TAIL_BYTES} : {offset: lines.bytes};
    let caughtUp = false;
    let timer = setTimeout(() => (caughtUp = true), CAUGHT_UP_MILLIS);
    this.isLive = true;
    this.problem = undefined;
    try {
      for await (const chunk of follow(this.path, {query: {...this.query, ...from, follow: true}, signal})) {
        lines.add(chunk, caughtUp ? now() : undefined);
        clearTimeout(timer);
        timer = setTimeout(() => (caughtUp = true), CAUGHT_UP_MILLIS);
        this.draw();
      }
    } catch (error) {
      if (!signal.aborted && isPassing(error.status) && error.status !== 0) {
        this.again = setTimeout(() => this.read(), AGAIN_MILLIS);
      } else if (!signal.aborted && error.status !== 0 && error.status !== undefined) {
        this.problem = error.detail ?? error.message;
      }
    } finally {
      clearTimeout(timer);
    }
    if (!signal.aborted) {
      this.isLive = false;
      this.dispatchEvent(new CustomEvent('ended'));
      this.draw();
    }
  }

  draw() {
    if (this.frame === 0) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.tick++;
      });
    }
  }

  get pane() {
    return this.querySelector('.pane');
  }

  /** How many characters a row holds where lines are wrapped. */
  get columns() {
    const probe = this.querySelector('.probe');
    const width = probe === null ? 7.2 : probe.getBoundingClientRect().width / 20 || 7.2;
    const room = (this.pane?.clientWidth ?? 900) - 24 - (this.stamps ? 80 : 0);
    return Math.max(20, Math.floor(room / width));
  }

  /** The first row of every line; rows[n] is the number of all. Only what is new is measured. */
  measure() {
    const {lines, columns} = this;
    const key = `${this.wrap} ${columns} ${lines.dropped}`;
    if (key !== this.measured) {
      this.rows = [0];
      this.measured = key;
    }
    const {rows} = this;
    const known = Math.max(0, Math.min(rows.length - 2, lines.texts.length - 1));
    rows.length = known + 1;
    for (let i = known; i < lines.length; i++) {
      const height = this.wrap ? Math.max(1, Math.ceil(lines.read(i).length / columns)) : 1;
      rows.push(rows[i] + height);
    }
    return columns;
  }

  lineAt(row) {
    let [low, high] = [0, this.lines.length];
    while (low < high - 1) {
      const middle = (low + high) >> 1;
      if (this.rows[middle] <= row) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  render() {
    const columns = this.measure();
    const total = this.rows.at(-1) ?? 0;
    const top = this.following ? Infinity : (this.pane?.scrollTop ?? 0);
    const height = this.pane?.clientHeight ?? 400;
    const first = Math.max(0, Math.min(Math.floor(top / LINE), total - Math.ceil(height / LINE)) - BEYOND);
    const last = Math.min(total, first + Math.ceil(height / LINE) + 2 * BEYOND);
    return html`
      ${this.bar()}
      ${this.problem === undefined ? nothing : html`<p class="problem"><bdi>${this.problem}</bdi></p>`}
      <div class="pane" tabindex="0" role="log" aria-live="off" aria-label=${this.name} @scroll=${this.scrolled} @keydown=${this.key}>
        <span class="probe" aria-hidden="true">mmmmmmmmmmmmmmmmmmmm</span>
        <div class="sheet ${this.wrap ? 'wrapped' : ''}" .style=${`height:${Math.max(1, total) * LINE + 8}px`}>${total === 0
          ? html`<p class="quiet">${this.isLive ? 'Nothing was written yet.' : 'Nothing was written.'}</p>` : this.visible(first, last, columns)}</div></div>`;
  }

  bar() {
    const {lines} = this;
    const toggle = (property, word, title) => html`<button type="button" class="toggle" title=${title} aria-pressed=${this[property]}
      @click=${() => (this[property] = !this[property])}>${word}</button>`;
    return html`<div class="controls output-bar">
      <input type="search" aria-label="Find in output" placeholder="find in output" maxlength="200" @input=${this.search} @keydown=${(e) => e.key === 'Enter' && this.jump(e.shiftKey ? -1 : 1)}>
      <span class="quiet" role="status">${this.asked === '' ? nothing : this.found.length === 0 ? 'not found' : `${this.at + 1} of ${count(this.found.length, 'line')}`}</span>
      ${toggle('wrap', 'Wrap', 'break long lines (w)')}${toggle('stamps', 'Times', 'when a line came, of those that came while you looked')}${toggle('following', 'Follow', 'stay at the end (f)')}
      <button type="button" @click=${this.download}>Download</button>
      <span class="quiet extent">${lines.dropped > 0 ? `the last ${count(lines.length, 'line')}` : count(lines.length, 'line')}${this.isLive ? ', live' : ''}</span></div>`;
  }

  visible(first, last, columns) {
    const result = [];
    for (let row = first, i = this.lineAt(first); row < last && i < this.lines.length; i++) {
      const pieces = this.lines.pieces(i);
      const place = this.rows[i];
      const isFound = this.asked !== '' && this.lines.read(i).toLowerCase().includes(this.asked);
      for (let part = row - place; part < this.rows[i + 1] - place && row < last; part++, row++) {
        const shown = this.wrap ? cut(pieces, part * columns, (part + 1) * columns) : cut(pieces, 0, WIDEST);
        result.push(html`<div class="line ${isFound ? 'found' : ''} ${isFound && i === this.found[this.at] ? 'current' : ''}" .style=${`top:${row * LINE + 4}px`}>${this.stamps
          ? html`<time>${part === 0 && this.lines.times[i] ? clock(this.lines.times[i]) : ''}</time>` : nothing}<bdi>${shown.map(({text, style}) =>
          (style === '' ? text : html`<span class=${style}>${text}</span>`))}${!this.wrap && this.lines.text(i).length > WIDEST ? html`<span class="faint">… cut here; wrap shows all</span>` : nothing}</bdi></div>`);
      }
    }
    return result;
  }

  updated() {
    const {pane} = this;
    if (this.following && pane !== null) {
      pane.scrollTop = pane.scrollHeight;
      this.placed = pane.scrollTop;
    }
    if (this.drawnHeight !== pane?.clientHeight) {
      this.drawnHeight = pane?.clientHeight;
      this.draw();
    }
  }

  scrolled() {
    const {pane} = this;
    const isEnd = pane.scrollTop + pane.clientHeight >= pane.scrollHeight - LINE;
    if (pane.scrollTop !== this.placed) {
      this.following = isEnd && (this.following || pane.scrollTop > (this.placed ?? 0));
      this.placed = pane.scrollTop;
    }
    this.draw();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const deeds = {f: () => (this.following = !this.following), w: () => (this.wrap = !this.wrap), n: () => this.jump(1), N: () => this.jump(-1)};
    if (deeds[event.key] !== undefined) {
      event.preventDefault();
      deeds[event.key]();
    }
  }

  /** Looks through the lines bit by bit, so that nothing waits for it. */
  async search(event) {
    const asked = event.target.value.toLowerCase();
    this.asked = asked;
    this.found = [];
    this.at = -1;
    const found = [];
    const {lines} = this;
    for (let i = 0; asked !== '' && i < lines.length && found.length < MOST_FOUND; i++) {
      if (lines.read(i).toLowerCase().includes(asked)) {
        found.push(i);
      }
      if (i % SEARCH_AT_ONCE === SEARCH_AT_ONCE - 1) {
        await new Promise((resolve) => setTimeout(resolve));
        if (this.asked !== asked || this.lines !== lines) {
          return;
        }
      }
    }
    this.found = found;
    if (found.length > 0) {
      this.jump(1);
    }
  }

  jump(by) {
    if (this.found.length === 0) {
      return;
    }
    this.at = (this.at + by + this.found.length) % this.found.length;
    this.following = false;
    const {pane} = this;
    pane.scrollTop = Math.max(0, (this.rows[this.found[this.at]] ?? 0) * LINE - pane.clientHeight / 3);
    this.draw();
  }

  async download() {
    const chunks = [];
    try {
      for await (const chunk of follow(this.path, {query: {...this.query, follow: false}})) {
        chunks.push(chunk);
      }
    } catch (error) {
      tell(error.detail ?? error.message, true);
      return;
    }
    const address = URL.createObjectURL(new Blob(chunks, {type: 'application/octet-stream'}));
    const anchor = document.createElement('a');
    anchor.href = address;
    anchor.download = this.name.replace(/[^\w.@-]+/g, '-') + '.log';
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
  }
}

/** The part of a line's pieces between two columns. */
function cut(pieces, from, to) {
  const result = [];
  let at = 0;
  for (const {text, style} of pieces) {
    const [begin, end] = [Math.max(0, from - at), Math.min(text.length, to - at)];
    if (end > begin) {
      result.push({text: begin === 0 && end === text.length ? text : text.slice(begin, end), style});
    }
    at += text.length;
    if (at >= to) {
      break;
    }
  }
  return result;
}

customElements.define('kron-output', Output);
