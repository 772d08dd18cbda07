import {html, nothing} from 'lit';
import {follow, subscribe} from '../connection/connection.js';
import {KronElement} from '../parts/element.js';
import {details, searchable, subject, words} from '../parts/event-words.js';
import {go, link} from '../parts/routes.js';
import {clock, count, date, now, when} from '../parts/times.js';
import {WindowedRows} from '../parts/windowed.js';

const MOST = 5_000;
const LEVELS = [['', 'all levels'], ['warn', 'warnings and errors'], ['error', 'errors']];
const COMPONENTS = ['', 'job', 'service', 'daemon', 'control', 'config', 'store', 'clock', 'fleet', 'alert', 'notify', 'output', 'log'];
const RANK = {info: 0, warn: 1, error: 2};

/** What happens, as it happens, newest first; a bounded number of events is kept. */
class Events extends KronElement {
  static properties = {params: {attribute: false}, events: {state: true}, isPaused: {state: true}, problem: {state: true}};

  constructor() {
    super();
    this.params = {};
    this.events = [];
    this.waiting = [];
    this.isPaused = false;
    this.problem = undefined;
    this.frame = 0;
    this.rows = new WindowedRows(this, {rowHeight: 32, fetch: async (offset, limit) => ({rows: this.shown.slice(offset, offset + limit), total: this.events.length, matched: this.shown.length})});
  }

  connectedCallback() {
    super.connectedCallback();
    this.ended = new AbortController();
    this.seen = new Set();
    this.unsubscribe = subscribe((message) => this.hear(message));
    this.past();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.ended.abort();
    this.unsubscribe();
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  /** What the daemon still holds of what was. */
  async past() {
    const decoder = new TextDecoder();
    let rest = '';
    this.problem = undefined;
    try {
      for await (const chunk of follow('/v1/events', {query: {after: 0, follow: false}, signal: this.ended.signal})) {
        rest += decoder.decode(chunk, {stream: true});
        const parts = rest.split('\n\n');
        rest = parts.pop();
        for (const part of parts) {
          const data = part.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5)).join('\n');
          if (data !== '' && !part.includes('event: lost')) {
            this.take(JSON.parse(data));
          }
        }
      }
    } catch (error) {
      if (this.ended.signal.aborted || error.status === 0) {
        return; // the head says that nobody answers, and there will be another try
      }
      this.problem = error.detail ?? error.message;
    }
    this.draw();
  }

  hear(message) {
    if (message.type === 'event') {
      this.take(message.event);
      this.draw();
    } else if (message.type === 'gap' || message.type === 'back') {
      this.past();
    }
  }

  take(event) {
    if (event.event !== undefined && !this.seen.has(event.id)) {
      this.seen.add(event.id);
      this.waiting.push(event);
      if (this.waiting.length > 2 * MOST) { // nobody looks, or it is held
        this.waiting = this.waiting.slice(-MOST);
        this.seen = new Set([...this.waiting, ...this.events].map(({id}) => id));
      }
    }
  }

  /** Takes over what came, once a frame. */
  draw() {
    if (this.frame === 0 && !this.isPaused) {
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        const all = [...this.waiting, ...this.events].sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
        this.waiting = [];
        this.events = all.slice(0, MOST);
        this.seen = new Set(this.events.map((event) => event.id));
      });
    }
  }

  get query() {
    return this.params.query ?? {};
  }

  get shown() {
    const {filter = '', level = '', component = ''} = this.query;
    const text = filter.toLowerCase();
    return this.events.filter((event) => (level === '' || RANK[event.level] >= RANK[level]) && (component === '' || event.component === component)
        && (text === '' || searchable(event).includes(text)));
  }

  willUpdate(changed) {
    if (!changed.has('events') && !changed.has('params')) {
      return;
    }
    const {shown} = this;
    this.rows.rows = new Map(shown.map((event, i) => [i, event]));
    this.rows.known = {total: this.events.length, matched: shown.length};
    this.rows.begin();
  }

  change(query) {
    go(link('events', undefined, {...this.query, ...query}), true);
  }

  render() {
    const {query} = this;
    const {matched, total} = this.rows;
    return html`
      <div class="controls"><h1>Events</h1>
        <input type="search" aria-label="Filter events" placeholder="filter" maxlength="200" .value=${query.filter ?? ''} @input=${(e) => this.change({filter: e.target.value})}>
        <select aria-label="Level" @change=${(e) => this.change({level: e.target.value})}>${LEVELS.map(([value, word]) => html`<option value=${value} ?selected=${(query.level ?? '') === value}>${word}</option>`)}</select>
        <select aria-label="Component" @change=${(e) => this.change({component: e.target.value})}>${COMPONENTS.map((one) => html`<option value=${one} ?selected=${(query.component ?? '') === one}>${one === '' ? 'of everything' : one}</option>`)}</select>
        <button type="button" class="toggle" aria-pressed=${this.isPaused} @click=${this.pause}>${this.isPaused ? 'Go on' : 'Pause'}</button>
        <p class="quiet extent">${matched === total ? count(total, 'event') : `${matched.toLocaleString('en')} of ${count(total, 'event')}`}</p></div>
      ${this.problem === undefined ? nothing : html`<p class="problem"><bdi>${this.problem}</bdi></p>`}
      ${matched === 0 ? html`<p class="quiet">${total === 0 ? 'Nothing has happened yet.' : 'None is like that.'}</p>` : html`
      <div class="list events" role="table" aria-label="Events, newest first" aria-rowcount=${matched}>${this.rows.render(row)}</div>`}`;
  }

  pause() {
    this.isPaused = !this.isPaused;
    this.draw();
  }
}

const precise = (time) => (date(time) === date(now()) ? clock(time) : `${date(time).slice(5)} ${clock(time)}`);

const row = (event, i, place) => html`<div class="row l-${event.level}" role="row" aria-rowindex=${i + 1} .style=${place}>
  <span role="cell" class="c-time">${when(event.time, undefined, precise)}</span>
  <span role="cell" class="c-level">${event.level === 'info' ? '' : event.level}</span>
  <span role="cell" class="c-component quiet">${event.component}</span>
  <span role="cell" class="c-event">${event.run && event.component === 'job' ? html`<a class="plain" href=${link('run', event.run)}>${words(event)}</a>` : words(event)}</span>
  <span role="cell" class="c-subject">${subject(event)}</span>
  <span role="cell" class="c-details quiet"><bdi>${details(event)}</bdi></span></div>`;

customElements.define('kron-events', Events);
