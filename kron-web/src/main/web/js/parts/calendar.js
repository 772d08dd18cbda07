import {html, nothing, svg} from 'lit';
import {KronElement} from './element.js';
import {isFailure, label, worst} from './outcomes.js';
import {local} from './pointer.js';
import {count, date, DAY, longDate, now} from './times.js';
import {Width} from './width.js';

const CELL = 15;
const TOP = 18;
const LEFT = 30;

const totals = (counts) => Object.entries(counts).filter(([, number]) => number > 0);

/** A day in words: `Monday, 16 November 2026: 6 succeeded, 1 failed`. */
function describeDay(day, counts) {
  const words = totals(counts).map(([outcome, number]) => `${number} ${label(outcome)}`);
  return `${longDate(day + 'T12:00:00Z', 'UTC')}: ${words.length === 0 ? 'nothing was due' : words.join(', ')}`;
}

/** The year in words. */
function describeYear(days) {
  const sums = {};
  let bad = 0;
  let any = 0;
  for (const {counts} of days) {
    totals(counts).forEach(([outcome, number]) => (sums[outcome] = (sums[outcome] ?? 0) + number));
    any += totals(counts).length > 0 ? 1 : 0;
    bad += totals(counts).some(([outcome]) => isFailure(outcome)) ? 1 : 0;
  }
  const words = Object.entries(sums).map(([outcome, number]) => `${number.toLocaleString('en')} ${label(outcome)}`);
  return any === 0 ? 'Nothing is on record yet.' : `${count(any, 'day')} on record, ${bad === 0 ? 'none with a failure' : `${bad} with a failure`}: ${words.join(', ')}.`;
}

/** What a day's square is drawn as: the same marks as on the timeline. */
function square(x, y, outcome) {
  const s = CELL - 3;
  const shapes = {
    succeeded: svg`<rect class="f-succeeded" x=${x} y=${y} width=${s} height=${s} rx="2" />`,
    failed: svg`<rect class="f-failed" x=${x} y=${y} width=${s} height=${s} rx="2" /><path class="f-paper" d="M${x + 2} ${y + s - 2}l4-5l4 5z" />`,
    missed: svg`<rect class="s-missed" x=${x + 1} y=${y + 1} width=${s - 2} height=${s - 2} rx="1.5" />`,
    skipped: svg`<rect class="f-skipped" x=${x} y=${y} width=${s} height=${s} rx="2" /><path class="s-skipped" d="M${x} ${y + 7}l7-7M${x} ${y + 12}l12-12M${x + 6} ${y + 12}l6-6" />`,
    unschedulable: svg`<path class="s-unschedulable" d="M${x + 2} ${y + 2}l8 8m0-8l-8 8" />`,
    unknown: svg`<rect class="s-unknown" x=${x + 1} y=${y + 1} width=${s - 2} height=${s - 2} rx="1.5" />`,
    stopped: svg`<rect class="f-stopped" x=${x} y=${y + 3} width=${s} height=${s - 6} rx="1" />`,
    running: svg`<rect class="f-running" x=${x} y=${y} width=${s} height=${s} rx="2" />`,
  };
  return shapes[isFailure(outcome) ? 'failed' : outcome] ?? svg`<rect class="f-empty" x=${x + 4} y=${y + 4} width="4" height="4" rx="1" />`;
}

/** The last year, a square a day, by the day's worst outcome. */
class Calendar extends KronElement {
  static properties = {days: {attribute: false}, zone: {}, told: {state: true}};

  constructor() {
    super();
    this.days = [];
    this.zone = undefined;
    this.told = undefined;
    this.width = new Width(this);
  }

  /** The squares in columns of weeks, Monday first; the last column is this week. */
  get squares() {
    const byDate = new Map(this.days.map((day) => [day.date, day]));
    const last = Date.parse(date(now(), this.zone) + 'T00:00:00Z');
    const weekday = (new Date(last).getUTCDay() + 6) % 7;
    const weeks = Math.min(53, Math.floor((this.width.value - LEFT) / CELL));
    const squares = [];
    for (let back = (weeks - 1) * 7 + weekday; back >= 0; back--) {
      const time = last - back * DAY;
      const day = new Date(time).toISOString().slice(0, 10);
      const index = (weeks - 1) * 7 + weekday - back;
      squares.push({
        day, counts: byDate.get(day)?.counts ?? {}, isFirst: day.endsWith('-01'),
        x: LEFT + Math.floor(index / 7) * CELL, y: TOP + (index % 7) * CELL,
      });
    }
    return squares;
  }

  render() {
    const {squares} = this;
    const months = squares.filter((one) => one.isFirst);
    const names = ['Mon', '', 'Wed', '', 'Fri', '', 'Sun'];
    return html`<svg class="calendar" width=${this.width.value} height=${TOP + 7 * CELL} role="img" aria-label=${describeYear(this.days)}
        @pointermove=${(e) => this.hover(e, squares)} @pointerleave=${() => (this.told = undefined)} @click=${(e) => this.click(e, squares)}>
      ${months.map(({day, x}) => svg`<text x=${x} y="11">${MONTHS[Number(day.slice(5, 7)) - 1]}</text>`)}
      ${names.map((name, i) => (name === '' ? nothing : svg`<text x="0" y=${TOP + i * CELL + 10}>${name}</text>`))}
      ${squares.map(({x, y, counts}) => square(x, y, worst(totals(counts).map(([outcome]) => outcome))))}</svg>
      <p class="hint">${this.told ?? describeYear(this.days)}</p>`;
  }

  at(event, squares) {
    const place = local(event);
    return squares.find(({x, y}) => place.x >= x && place.x < x + CELL && place.y >= y && place.y < y + CELL);
  }

  hover(event, squares) {
    const found = this.at(event, squares);
    this.told = found === undefined ? undefined : describeDay(found.day, found.counts);
  }

  click(event, squares) {
    const found = this.at(event, squares);
    if (found !== undefined) {
      this.dispatchEvent(new CustomEvent('day', {detail: found.day}));
    }
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

customElements.define('kron-calendar', Calendar);
