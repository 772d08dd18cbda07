import {html, nothing, svg} from 'lit';
import {lines, Scale} from './axis.js';
import {KronElement} from './element.js';
import {fleetOutcome} from './fleet-words.js';
import {local} from './pointer.js';
import {nameOf} from './routes.js';
import {draw, hit, layout} from './row-picture.js';
import {describeItem, describeRow} from './row-words.js';
import {count, DAY, hourMinute, millis} from './times.js';
import {Width} from './width.js';

const TOP = 22;
const NARROW = 600;
const NAME = 17;
/** So many nodes are drawn; the table has all of them. */
const MOST_NODES = 40;
const SPAN = DAY / 24;
const NOT_RUN = ['missed', 'skipped', 'unschedulable'];

/** What a node ran, as a row of a picture. */
function row({id, name}, runs) {
  const own = runs.filter((run) => run.nodeId === id);
  return {
    job: name,
    past: own.filter((run) => !NOT_RUN.includes(run.kind)).map((run) => ({
      name: nameOf(run.identity), start: run.startedAt ?? run.claimedAt, end: run.completedAt, outcome: fleetOutcome(run), exit: run.exitCode,
      reason: run.state === 'lost' ? 'lost: nobody knows whether it goes on' : run.reason,
    })),
    marks: own.filter((run) => NOT_RUN.includes(run.kind)).map((run) => ({
      name: nameOf(run.identity), at: run.claimedAt, outcome: run.kind, reason: run.reason})),
  };
}

/** The last hour of a fleet, a row a node, with the marks of the timeline. */
class FleetPicture extends KronElement {
  static properties = {nodes: {attribute: false}, runs: {attribute: false}, now: {attribute: false}, told: {state: true}};

  constructor() {
    super();
    this.nodes = [];
    this.runs = [];
    this.now = Date.now();
    this.told = undefined;
    this.width = new Width(this);
  }

  render() {
    const isNarrow = this.width.value < NARROW;
    const left = isNarrow ? 0 : 148;
    const tall = isNarrow ? 46 : 34;
    const scale = new Scale(this.now - SPAN, this.now + SPAN * 0.02, this.width.value - left);
    const drawn = this.nodes.slice(0, MOST_NODES).map((node) => ({node, row: row(node, this.runs)}));
    this.places = drawn.map(({row: one}, i) => ({name: one.job, items: layout(one, scale, this.now), y: TOP + i * tall}));
    Object.assign(this, {left, tall});
    const height = TOP + drawn.length * tall;
    const x = left + scale.x(this.now);
    const told = drawn.map(({row: one}) => describeRow(one, scale.from, this.now)).join('. ');
    return html`<svg class="fleet-picture" width=${this.width.value} height=${height} role="img" aria-label=${`The last hour, by node. ${told}.`}
        @pointermove=${this.hover} @pointerleave=${() => (this.told = undefined)}>
      ${lines(scale).map((one) => svg`${one.x + 36 > scale.width - 40 ? nothing : svg`<text x=${left + one.x + 3} y="12">${one.text}</text>`}<path class="s-grid" d="M${left + one.x + 0.5} 18V${height}" />`)}
      ${drawn.map(({node, row: one}, i) => svg`<path class="s-grid" d="M0 ${TOP + (i + 1) * tall - 0.5}H${this.width.value}" />
        <text class=${node.state === 'live' ? 'name' : nothing} x="2" y=${TOP + i * tall + (isNarrow ? 13 : 20)}>${short(one.job)}${node.state === 'live' ? '' : ` (${node.state})`}</text>
        <g transform="translate(${left} ${TOP + i * tall})">${draw(this.places[i].items, scale, isNarrow ? 20 : 8)}</g>`)}
      <text class="now" x=${x} y="12" text-anchor="end">now</text><path class="s-now" d="M${x.toFixed(1)} 18V${height}" /></svg>
      <p class="hint"><bdi>${this.told ?? `Each bar is a run, from ${hourMinute(this.now - SPAN)} to now.${this.nodes.length > drawn.length ? ` ${count(this.nodes.length - drawn.length, 'more node')} in the table.` : ''}`}</bdi></p>`;
  }

  hover(event) {
    const {x, y} = local(event);
    const place = this.places.find((one) => y >= one.y && y < one.y + this.tall);
    const item = place && hit(place.items, x - this.left);
    this.told = item && `${item.of.name} on ${place.name}: ${describeItem(item).join(', ')}`;
  }
}

const short = (name) => (name.length > NAME ? `${name.slice(0, NAME - 1)}…` : name);

customElements.define('kron-fleet-picture', FleetPicture);
