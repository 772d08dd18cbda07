import {html, nothing, svg} from 'lit';
import {lines, Scale} from './axis.js';
import {KronElement} from './element.js';
import {local} from './pointer.js';
import {count, DAY, millis, moment, now} from './times.js';
import {Width} from './width.js';

const ROW = 30;
const SHAPES = {
  starting: (x, y) => svg`<path class="f-running" d="M${x - 3} ${y - 5}l7 5l-7 5z" />`,
  running: (x, y) => svg`<rect class="f-succeeded" x=${x - 2} y=${y - 7} width="4" height="14" rx="1" />`,
  failed: (x, y) => svg`<path class="f-failed" d="M${x - 5} ${y + 6}l5-11l5 11z" />`,
  exited: (x, y) => svg`<rect class="f-stopped" x=${x - 2} y=${y - 5} width="4" height="10" />`,
  stopping: (x, y) => svg`<rect class="s-trend" x=${x - 2} y=${y - 4} width="4" height="8" />`,
  gave_up: (x, y) => svg`<path class="s-failed" d="M${x - 4} ${y - 4}l8 8m0-8l-8 8" />`,
  health_check_failed: (x, y) => svg`<circle class="s-missed" cx=${x} cy=${y} r="4" />`,
};

/** What happened to a service, in a sentence. */
function describeRestarts(events) {
  const number = (what) => events.filter((event) => event.what === what).length;
  return events.length === 0 ? 'Nothing is on record yet.'
    : `Since ${moment(events.at(-1).at)}: ${count(number('starting'), 'start')}, ${count(number('failed'), 'failure')}, ${count(number('restart'), 'restart')}${number('gave_up') > 0 ? `, given up ${count(number('gave_up'), 'time')}` : ''}.`;
}

/** Starts, failures and ends of a service over time, a row an instance. */
class Restarts extends KronElement {
  static properties = {events: {attribute: false}, told: {state: true}};

  constructor() {
    super();
    this.events = [];
    this.told = undefined;
    this.width = new Width(this);
  }

  render() {
    const {events} = this;
    if (events.length === 0) {
      return html`<p class="quiet">Nothing is on record yet.</p>`;
    }
    const names = [...new Set(events.map((event) => event.instance))].sort();
    const left = names.length > 1 ? 110 : 0;
    const oldest = Math.min(millis(events.at(-1).at), now() - 3_600_000);
    const scale = new Scale(Math.max(oldest - (now() - oldest) * 0.02, now() - 400 * DAY), now() + (now() - oldest) * 0.02, this.width.value - left);
    const height = names.length * ROW;
    this.places = events.filter((event) => SHAPES[event.what]).map((event) => ({event, x: left + scale.x(millis(event.at)), y: 20 + names.indexOf(event.instance) * ROW + ROW / 2}));
    return html`<svg width=${this.width.value} height=${height + 22} role="img" aria-label=${describeRestarts(events)} @pointermove=${this.hover} @pointerleave=${() => (this.told = undefined)}>
      ${lines(scale).map((one) => svg`<text x=${left + one.x + 3} y="12">${one.text}</text><path class="s-grid" d="M${left + one.x + 0.5} 18V${height + 20}" />`)}
      ${names.map((name, i) => svg`<path class="s-grid" d="M0 ${20 + (i + 1) * ROW - 0.5}H${this.width.value}" />${left === 0 ? nothing : svg`<text class="name" x="0" y=${20 + i * ROW + 19}>${name}</text>`}`)}
      ${[...this.places].reverse().map(({event, x, y}) => SHAPES[event.what](x, y))}</svg>
      <p class="hint"><bdi>${this.told ?? describeRestarts(events)}</bdi></p>`;
  }

  hover(event) {
    const place = local(event);
    const near = this.places.find(({x, y}) => Math.abs(x - place.x) < 6 && Math.abs(y - place.y) < ROW / 2);
    this.told = near === undefined ? undefined : `${moment(near.event.at)} ${near.event.instance}: ${near.event.what.replaceAll('_', ' ')}${near.event.reason ? `, ${near.event.reason}` : ''}`;
  }
}

customElements.define('kron-restarts', Restarts);
