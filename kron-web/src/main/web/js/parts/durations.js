import {html, nothing, svg} from 'lit';
import {KronElement} from './element.js';
import {isFailure, label} from './outcomes.js';
import {local} from './pointer.js';
import {go, link} from './routes.js';
import {count, duration, millis, moment} from './times.js';
import {Width} from './width.js';

const HEIGHT = 150;
const TOP = 8;
const BASE = 126;
const LEFT = 62;

const sorted = (values) => [...values].sort((a, b) => a - b);

/** The value below which a part of the values lies. */
const quantile = (values, part) => (values.length === 0 ? undefined : sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))]);

/** What the chart says, as a sentence. */
function describeDurations(runs) {
  const lengths = runs.map((run) => run.millis);
  return runs.length === 0 ? 'No run has ended yet.'
    : `${count(runs.length, 'run')}: usually ${duration(quantile(lengths, 0.5))}, 95 of 100 within ${duration(quantile(lengths, 0.95))}, the longest ${duration(Math.max(...lengths))}.`;
}

/** How long runs took, over time: a dot a run, failed ones as wedges, with the days' median and 95th percentile as lines. */
class Durations extends KronElement {
  static properties = {history: {attribute: false}, chosen: {}, told: {state: true}};

  constructor() {
    super();
    this.history = {runs: [], days: []};
    this.chosen = undefined;
    this.told = undefined;
    this.width = new Width(this);
  }

  get runs() {
    return this.history.runs.filter((run) => run.start && run.end)
        .map((run) => ({...run, millis: run.millis ?? millis(run.end) - millis(run.start)})).reverse();
  }

  render() {
    const {runs} = this;
    if (runs.length === 0) {
      return html`<p class="quiet">No run has ended yet.</p>`;
    }
    const width = this.width.value;
    const [first, last] = [millis(runs[0].start), millis(runs.at(-1).start)];
    const days = this.history.days.filter((day) => day.medianMillis && Date.parse(day.date + 'T12:00:00Z') >= first - 43_200_000);
    const highest = Math.max(1, ...runs.map((run) => run.millis), ...days.map((day) => day.p95Millis ?? 0));
    const x = (time) => (last === first ? (LEFT + width) / 2 : LEFT + 6 + ((time - first) / (last - first)) * (width - LEFT - 14));
    const y = (length) => BASE - (length / highest) * (BASE - TOP);
    const noon = (day) => Math.min(last, Math.max(first, Date.parse(day.date + 'T12:00:00Z')));
    const line = (key) => days.filter((day) => day[key]).map((day, i) => `${i === 0 ? 'M' : 'L'}${x(noon(day)).toFixed(1)} ${y(day[key]).toFixed(1)}`).join('');
    this.places = runs.map((run) => ({run, x: x(millis(run.start)), y: y(run.millis)}));
    const dots = (test, shape) => this.places.filter(({run}) => test(run.outcome)).map(shape).join('');
    const chosen = this.places.find(({run}) => run.run === this.chosen);
    const ticks = steps(highest);
    return html`<svg class="durations" width=${width} height=${HEIGHT} role="img" aria-label=${describeDurations(runs)}
        @pointermove=${this.hover} @pointerleave=${() => (this.told = undefined)} @click=${this.click}>
      ${ticks.map((tick) => svg`<path class="s-grid" d="M${LEFT} ${Math.round(y(tick)) + 0.5}H${width}" /><text x=${LEFT - 8} y=${y(tick) + 4} text-anchor="end">${tick === 0 ? '0' : duration(tick)}</text>`)}
      <path class="s-p95" d=${line('p95Millis')} /><path class="s-median" d=${line('medianMillis')} />
      <path class="f-dot" d=${dots((word) => !isFailure(word), (at) => `M${(at.x - 2).toFixed(1)} ${at.y.toFixed(1)}a2 2 0 1 0 4 0a2 2 0 1 0-4 0`)} />
      <path class="f-failed" d=${dots(isFailure, (at) => `M${(at.x - 4).toFixed(1)} ${(at.y + 3).toFixed(1)}l4-6l4 6z`)} />
      ${chosen === undefined ? nothing : svg`<circle class="s-chosen" cx=${chosen.x} cy=${chosen.y} r="6" />`}
      <text x=${LEFT} y="144">${moment(first)}</text><text x=${width} y="144" text-anchor="end">${moment(last)}</text></svg>
      <p class="hint">${this.told ?? html`${describeDurations(runs)} ${days.length === 0 ? nothing : html`<span class="key median"></span> median, <span class="key p95"></span> 95th percentile of each day.`}`}</p>`;
  }

  nearest(event) {
    const {x, y} = local(event);
    let best;
    for (const place of this.places) {
      const distance = Math.hypot(place.x - x, (place.y - y) / 3);
      if (distance < 14 && (best === undefined || distance < best.distance)) {
        best = {distance, run: place.run};
      }
    }
    return best?.run;
  }

  hover(event) {
    const run = this.nearest(event);
    this.told = run === undefined ? undefined : `${moment(run.start)}: ${label(run.outcome)} after ${duration(run.millis)}`;
  }

  click(event) {
    const run = this.nearest(event);
    if (run?.run) {
      go(link('run', run.run));
    }
  }
}

/** A few round durations up to the highest. */
function steps(highest) {
  const sizes = [1, 5, 10, 50, 100, 250, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 900e3, 1800e3, 3600e3, 7200e3, 14400e3, 43200e3, 86400e3, 604800e3];
  const size = sizes.find((one) => highest / one <= 4) ?? sizes.at(-1);
  return [...Array(Math.floor(highest / size) + 1).keys()].map((i) => i * size);
}

customElements.define('kron-durations', Durations);
