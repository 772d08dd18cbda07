import {html, nothing} from 'lit';
import {subscribe, request} from '../connection/connection.js';
import {KronElement} from './element.js';
import {isNews} from './event-ids.js';

const SOON_MILLIS = 120;
/** A load that took long is not repeated at once: it may take a quarter of the time at most. */
const REST = 3;

export const AGAIN_MILLIS = 2_000;

/** Whether a refusal may be none a moment later: nobody answered, or could not answer yet. */
export const isPassing = (status) => status === 0 || status === 429 || status >= 500;

/**
 * The base of pages: loads what is shown, and loads again when an event says that it changed. Nothing is asked for
 * without an event. While the page is hidden, loading waits until it is looked at again.
 */
export class Page extends KronElement {
  static properties = {
    params: {attribute: false},
    data: {state: true},
    problem: {state: true},
  };

  constructor() {
    super();
    this.params = {};
    this.data = undefined;
    this.problem = undefined;
    this.loading = false;
    this.wanted = false;
    this.lastTook = 0;
    this.timer = 0;
    this.isAway = false;
    this.whenVisible = () => {
      if (!document.hidden && this.wanted) {
        this.reload();
      }
    };
  }

  connectedCallback() {
    super.connectedCallback();
    this.ended = new AbortController();
    this.unsubscribe = subscribe((message) => this.hear(message));
    document.addEventListener('visibilitychange', this.whenVisible);
    this.reload();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.ended.abort();
    this.unsubscribe();
    clearTimeout(this.timer);
    document.removeEventListener('visibilitychange', this.whenVisible);
  }

  willUpdate(changed) {
    if (changed.has('params') && changed.get('params') !== undefined && this.isConnected) {
      this.moved();
    }
  }

  /** The address has changed while the page stays: by default everything is loaded anew. */
  moved() {
    this.data = undefined;
    this.problem = undefined;
    this.reload();
  }

  /** What the page shows; pages say how to load it. */
  async load(_signal) {
    return {};
  }

  /** Whether an event may change what the page shows. */
  concerns(_event) {
    return true;
  }

  hear(message) {
    if (message.type === 'event') {
      if (isNews(message.event.id, this.data?.asOf) && this.concerns(message.event)) {
        this.reloadSoon();
      }
    } else if (message.type === 'gap' || message.type === 'back') {
      this.isAway = false;
      this.reload();
    } else if (message.type === 'away') {
      this.isAway = true;
    }
  }

  reloadSoon() {
    if (this.timer === 0) {
      const rest = Math.max(SOON_MILLIS, this.lastTook * REST);
      this.timer = setTimeout(() => this.reload(), rest);
    }
  }

  /** What the daemon could not answer, it is asked again; while it is away, its return is waited for. */
  reloadLater({status}) {
    if (isPassing(status) && !this.isAway && this.timer === 0) {
      this.timer = setTimeout(() => this.reload(), AGAIN_MILLIS);
    }
  }

  async reload() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.wanted = true;
    if (this.loading || (document.hidden && this.data !== undefined)) {
      return;
    }
    this.loading = true;
    const {signal} = this.ended;
    try {
      while (this.wanted && !signal.aborted) {
        this.wanted = false;
        const params = this.params;
        const begin = performance.now();
        try {
          const data = await this.load(signal);
          if (signal.aborted) {
            return;
          }
          if (params === this.params) {
            this.data = data;
            this.problem = undefined;
          } else {
            this.wanted = true;
          }
        } catch (error) {
          if (signal.aborted || error.name === 'AbortError') {
            return;
          }
          this.problem = error;
          this.reloadLater(error);
        }
        this.lastTook = performance.now() - begin;
      }
    } finally {
      this.loading = false;
    }
  }

  render() {
    if (this.data === undefined) {
      return this.problem === undefined
          ? html`<p class="quiet" aria-busy="true">…</p>`
          : html`<p class="problem" role="alert">${this.problem.detail ?? this.problem.message}</p>`;
    }
    return html`${this.problem === undefined || this.problem.status === 0
        ? nothing
        : html`<p class="problem" role="alert">${this.problem.detail ?? this.problem.message}</p>`}
      ${this.view(this.data)}`;
  }
}

/** A GET that belongs to a page. */
export const get = (path, query, signal) => request('GET', path, {query, signal});
