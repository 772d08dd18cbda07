import {html, nothing} from 'lit';
import {KronElement} from './element.js';
import {get} from './page.js';
import {fileOf, go, link} from './routes.js';

const PAUSE_MILLIS = 120;

/** The address of something that was found. */
function addressOf({kind, name, identity, run}) {
  if (kind === 'run') {
    return link('run', run ?? identity ?? name);
  }
  return kind === 'service' ? link('service', name) : link('job', identity ?? name);
}

/** The field in the head: finds jobs, services and runs while one types; a combobox as ARIA describes it. */
class Search extends KronElement {
  static properties = {results: {state: true}, chosen: {state: true}, asked: {state: true}};

  constructor() {
    super();
    this.results = [];
    this.chosen = 0;
    this.asked = '';
    this.timer = 0;
  }

  render() {
    const open = this.asked !== '';
    return html`<search><input type="search" role="combobox" aria-expanded=${open} aria-controls="found"
        aria-autocomplete="list" aria-activedescendant=${open && this.results.length > 0 ? `found-${this.chosen}` : nothing}
        aria-label="Find a job, a service, a run" placeholder="find a job, a service, a run" autocomplete="off" spellcheck="false"
        maxlength="200" @input=${this.type} @keydown=${this.key} @blur=${this.leave}><kbd aria-hidden="true">/</kbd>
      <ul id="found" role="listbox" aria-label="Found" ?hidden=${!open}>${this.results.map((one, i) => html`
        <li role="option" id="found-${i}" aria-selected=${i === this.chosen} @mousedown=${(e) => this.open(e, one)}>
          <span class="kind">${one.kind}</span><bdi>${one.name ?? one.run}</bdi>
          <small><bdi>${one.kind === 'job' ? fileOf(one.identity ?? '') : one.kind === 'run' ? one.run ?? '' : ''}</bdi></small></li>`)}
        ${open && this.results.length === 0 ? html`<li class="quiet" role="option" aria-selected="false">${this.empty}</li>` : nothing}</ul></search>`;
  }

  get field() {
    return this.querySelector('input');
  }

  type() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.find(this.field.value.trim()), PAUSE_MILLIS);
  }

  async find(text) {
    this.pending?.abort();
    this.pending = new AbortController();
    if (text === '') {
      this.clear();
      return;
    }
    try {
      const {results} = await get('/v1/search', {q: text}, this.pending.signal);
      this.empty = 'nothing has such a name';
      this.results = results;
    } catch (error) {
      if (error.name === 'AbortError') {
        return;
      }
      this.empty = error.detail ?? error.message;
      this.results = [];
    }
    this.asked = text;
    this.chosen = 0;
  }

  clear() {
    this.asked = '';
    this.results = [];
  }

  async key(event) {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const {length} = this.results;
      this.chosen = length === 0 ? 0 : (this.chosen + (event.key === 'ArrowDown' ? 1 : length - 1)) % length;
      event.preventDefault();
    } else if (event.key === 'Enter') {
      const text = this.field.value.trim();
      if (text !== this.asked) {
        clearTimeout(this.timer);
        await this.find(text);
      }
      if (this.results[this.chosen] !== undefined) {
        this.open(event, this.results[this.chosen]);
      }
    } else if (event.key === 'Escape') {
      this.field.value = '';
      this.clear();
      this.field.blur();
    }
  }

  open(event, one) {
    event.preventDefault();
    this.field.value = '';
    this.clear();
    this.field.blur();
    go(addressOf(one));
  }

  leave() {
    this.clear();
  }
}

customElements.define('kron-search', Search);
