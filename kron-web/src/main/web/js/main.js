import {html, nothing} from 'lit';
import {request, signOut, subscribe, whoami} from './connection/connection.js';
import {KronElement} from './parts/element.js';
import {keys} from './parts/keys.js';
import {noteAuthority} from './parts/authority.js';
import {AGAIN_MILLIS, isPassing} from './parts/page.js';
import {parse} from './parts/routes.js';
import {browserZone, city, clock, elapsed, now, ticks, when} from './parts/times.js';
import './parts/search.js';
import {confirm, tell} from './parts/dialogs.js';
import './pages/now.js';
import './pages/timeline.js';
import './pages/jobs.js';
import './pages/job.js';
import './pages/run.js';
import './pages/services.js';
import './pages/service.js';
import './pages/events.js';
import './pages/fleet.js';
import './pages/fleet-job.js';

/** The pages that the head leads to, with the key that follows `g`; that of the fleet only where the machine is a node of one. */
const HEAD = [
  ['now', 'Now', 'n'], ['timeline', 'Timeline', 't'], ['jobs', 'Jobs', 'j'],
  ['services', 'Services', 's'], ['events', 'Events', 'e'], ['fleet', 'Fleet', 'f'],
];

const PAGES = {
  now: (params) => html`<kron-now .params=${params}></kron-now>`,
  timeline: (params) => html`<kron-timeline .params=${params}></kron-timeline>`,
  jobs: (params) => html`<kron-jobs .params=${params}></kron-jobs>`,
  job: (params) => html`<kron-job .params=${params}></kron-job>`,
  run: (params) => html`<kron-run .params=${params}></kron-run>`,
  services: (params) => html`<kron-services .params=${params}></kron-services>`,
  service: (params) => html`<kron-service .params=${params}></kron-service>`,
  events: (params) => html`<kron-events .params=${params}></kron-events>`,
  fleet: (params) => (params.name ? html`<kron-fleet-job .params=${params}></kron-fleet-job>` : html`<kron-fleet .params=${params}></kron-fleet>`),
};

const MAY = {reader: 'and may look', operator: 'and may operate', all: 'and may do everything'};

/** Which of the head's pages a page belongs to. */
const UNDER = {job: 'jobs', run: 'jobs', service: 'services'};

/** The whole sheet: head, what is wrong with the connection, and the page that the address names. */
class App extends KronElement {
  static properties = {
    route: {state: true},
    who: {state: true},
    away: {state: true},
    over: {state: true},
    isNode: {state: true},
  };

  constructor() {
    super();
    this.route = parse(location.hash);
    this.who = undefined;
    this.away = undefined;
    this.over = undefined;
    this.isNode = false;
    addEventListener('hashchange', () => this.arrive());
  }

  connectedCallback() {
    super.connectedCallback();
    subscribe((message) => this.hear(message));
    keys(() => this.head.map(([page, , key]) => [key, page]));
    this.introduce();
  }

  get head() {
    return this.isNode ? HEAD : HEAD.filter(([page]) => page !== 'fleet');
  }

  async introduce() {
    this.lookForFleet();
    try {
      this.who = await whoami();
      noteAuthority(this.who.authority);
    } catch (error) {
      this.over ??= error.status === 401 ? (error.detail ?? error.message) : undefined;
      if (isPassing(error.status) && this.away === undefined) {
        setTimeout(() => this.introduce(), AGAIN_MILLIS); // without it nobody knows what may be done
      }
    }
  }

  async lookForFleet() {
    try {
      this.isNode = (await request('GET', '/v1/fleet')).member;
    } catch (error) {
      if (isPassing(error.status) && this.away === undefined) {
        clearTimeout(this.fleetAgain);
        this.fleetAgain = setTimeout(() => this.lookForFleet(), AGAIN_MILLIS);
      }
    }
  }

  hear({type, since, why, event}) {
    if (type === 'away') {
      this.away = since ?? Date.now();
    } else if (type === 'back') {
      this.away = undefined;
      this.introduce();
    } else if (type === 'ended') {
      this.over = why ?? 'the session has ended';
    } else if (type === 'gap' || (event?.component === 'config' && event.event === 'reloaded')) {
      this.lookForFleet(); // a fleet.toml may have come or gone
    }
  }

  arrive() {
    const before = this.route;
    this.route = parse(location.hash);
    if (before.page !== this.route.page || before.name !== this.route.name) {
      scrollTo(0, 0);
      this.updateComplete.then(() => this.querySelector('main')?.focus({preventScroll: true}));
    }
  }

  updated() {
    const {page, name} = this.route;
    const title = name || HEAD.find(([key]) => key === page)?.[1] || page;
    document.title = `${title} · kron${this.who ? ' on ' + this.who.host : ''}`;
  }

  render() {
    const {page} = this.route;
    const here = UNDER[page] ?? page;
    return html`
      <a class="skip" href="#main" @click=${this.skip}>To the content</a>
      <header>
        <a class="brand" href="#/now" aria-label="kron: now">kron</a>
        <nav aria-label="Pages">${this.head.map(([key, word]) =>
          html`<a href="#/${key}" aria-current=${key === here ? 'page' : nothing}>${word}</a>`)}</nav>
        <kron-search></kron-search>
        <p class="where mono">${this.who ? html`<button type="button" class="link" title="Sign out" @click=${this.leave}><bdi>${this.who.user}</bdi>@<bdi>${this.who.host}</bdi></button> · ` : nothing}<span title=${browserZone}>${city(browserZone)}</span>
          <span class="clock">${ticks(() => clock(now()))}</span></p>
      </header>
      ${this.banner()}
      <main id="main" tabindex="-1">${this.over === undefined || this.away !== undefined
        ? (PAGES[page] ?? nowhere)(this.route)
        : ended(this.over)}</main>
      <kron-dialogs></kron-dialogs>`;
  }

  skip(event) {
    event.preventDefault();
    document.querySelector('main').focus();
  }

  async leave() {
    const {user, host, authority} = this.who;
    const sure = await confirm({title: 'Sign out?', act: 'Sign out', sentences: [
      `You are ${user} on ${host}, ${MAY[authority] ?? authority}.`, 'All of your sessions end, in this browser and in every other one.']});
    if (sure !== undefined) {
      signOut().catch((error) => tell(error.detail ?? error.message, true));
    }
  }

  banner() {
    return html`<div role="status" class="banner-place">${this.away === undefined
      ? nothing
      : html`<p class="banner">The daemon is away since ${when(new Date(this.away).toISOString(), undefined, clock)}
          <span aria-hidden="true">(${ticks(() => elapsed(this.away))})</span>. What you see is what it said last; this
          page goes on by itself when it is back.</p>`}</div>`;
  }
}

const nowhere = (params) => html`<p class="problem">There is no page “<bdi>${params.page}</bdi>”. <a href="#/now">Now</a> is one.</p>`;

const ended = (why) => html`<section class="ended"><h1>The session is over</h1><p>${why}</p>
  <p>Run <code>kron dashboard</code> to open a new one.</p></section>`;

customElements.define('kron-app', App);
