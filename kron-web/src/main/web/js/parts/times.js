import {html} from 'lit';
import {AsyncDirective, directive} from 'lit/async-directive.js';

/** Times and durations as people read them: in the browser's zone, on a 24-hour clock, with the job's own beside it. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export const millis = (time) => (typeof time === 'number' ? time : Date.parse(time));

/** How far the daemon's clock is ahead of the browser's. */
let ahead = 0;

/** Notes what time it is for the daemon; small differences are the way of the answer. */
export function noteDaemonTime(iso) {
  const difference = millis(iso) - Date.now();
  ahead = Math.abs(difference) > 2 * SECOND ? difference : 0;
}

export const now = () => Date.now() + ahead;

export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = new Map();

function format(zone, shape) {
  const key = zone + shape;
  let found = formats.get(key);
  if (found === undefined) {
    found = new Intl.DateTimeFormat('en-GB', {...SHAPES[shape], timeZone: zone, hourCycle: 'h23'});
    formats.set(key, found);
  }
  return found;
}

const SHAPES = {
  parts: {
    year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
    weekday: 'short',
  },
  long: {weekday: 'long', day: 'numeric', month: 'long', year: 'numeric'},
};

const zones = new Map();

/** The zone where the browser knows it, otherwise its own. */
function known(zone) {
  if (!zones.has(zone)) {
    try {
      zones.set(zone, new Intl.DateTimeFormat('en-GB', {timeZone: zone}) && zone);
    } catch {
      zones.set(zone, browserZone);
    }
  }
  return zones.get(zone);
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const two = (number) => (number < 10 ? '0' : '') + number;

/** The same in the browser's own zone, which is told without a search: pictures ask for it by the thousand. */
function localParts(time) {
  const at = new Date(time);
  return {
    year: String(at.getFullYear()), month: two(at.getMonth() + 1), day: two(at.getDate()), hour: two(at.getHours()),
    minute: two(at.getMinutes()), second: two(at.getSeconds()), weekday: WEEKDAYS[at.getDay()],
  };
}

/** Year, month, day and so on of a moment in a zone, as texts. */
export function parts(time, zone = browserZone) {
  if (zone === browserZone) {
    return localParts(millis(time));
  }
  const result = {};
  for (const {type, value} of format(known(zone), 'parts').formatToParts(millis(time))) {
    result[type] = value;
  }
  return result;
}

export function clock(time, zone = browserZone) {
  const p = parts(time, zone);
  return `${p.hour}:${p.minute}:${p.second}`;
}

export function hourMinute(time, zone = browserZone) {
  const p = parts(time, zone);
  return `${p.hour}:${p.minute}`;
}

export function date(time, zone = browserZone) {
  const p = parts(time, zone);
  return `${p.year}-${p.month}-${p.day}`;
}

export const longDate = (time, zone = browserZone) => format(known(zone), 'long').format(millis(time));

/** A moment as short as it can be told apart: the clock today, the weekday this week, else the date. */
export function moment(time, zone = browserZone) {
  const at = millis(time);
  const p = parts(at, zone);
  const day = `${p.year}-${p.month}-${p.day}`;
  if (day === date(now(), zone)) {
    return `${p.hour}:${p.minute}:${p.second}`;
  }
  if (Math.abs(at - now()) < 6 * DAY) {
    return `${p.weekday} ${p.hour}:${p.minute}`;
  }
  return `${day} ${p.hour}:${p.minute}`;
}

const full = (time, zone = browserZone) => `${date(time, zone)} ${clock(time, zone)} ${zone}`;

/** Milliseconds between a zone's local time and UTC at a moment. */
export function offsetAt(time, zone) {
  const p = parts(time, zone);
  const local = Date.UTC(p.year, p.month - 1, p.day, p.hour, p.minute, p.second);
  return local - Math.floor(millis(time) / SECOND) * SECOND;
}

const sameClock = (time, zone) => !zone || offsetAt(time, zone) === offsetAt(time, browserZone);

/** A moment on the page, with the job's own time beside it where its clock shows another. */
export function when(time, zone, text = moment) {
  if (!time) {
    return html`<span class="quiet">–</span>`;
  }
  const iso = typeof time === 'number' ? new Date(time).toISOString() : time;
  const title = full(iso) + (zone && zone !== browserZone ? '\n' + full(iso, zone) : '');
  return sameClock(iso, zone)
      ? html`<time class="mono" datetime=${iso} title=${title}>${text(iso)}</time>`
      : html`<time class="mono" datetime=${iso} title=${title}>${text(iso)} <small>${text(iso, zone)} ${city(zone)}</small></time>`;
}

/** The last part of a zone's name. */
export const city = (zone) => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');

const UNITS = [['d', DAY], ['h', HOUR], ['min', MINUTE], ['s', SECOND]];

/** A duration in its two largest units: `12 min 4 s`. */
export function duration(length, most = 2) {
  if (length === null || length === undefined || Number.isNaN(length)) {
    return '–';
  }
  if (length < SECOND) {
    return `${Math.max(0, Math.round(length))} ms`;
  }
  if (length < 10 * SECOND) {
    return `${(Math.round(length / 100) / 10).toFixed(1).replace('.0', '')} s`;
  }
  let rest = Math.round(length / SECOND) * SECOND;
  const words = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) {
      words.push(`${count} ${unit}`);
      rest -= count * size;
    } else if (words.length > 0) {
      break;
    }
    if (words.length === most) {
      break;
    }
  }
  return words.join(' ');
}

/** How long ago, or in how long; whole seconds while it is less than a minute. */
export function relative(time, most = 1) {
  const distance = millis(time) - now();
  const length = Math.abs(distance);
  if (length < SECOND) {
    return 'now';
  }
  const words = duration(Math.floor(length / SECOND) * SECOND, most);
  return distance > 0 ? `in ${words}` : `${words} ago`;
}

/** How far away something is that is still to come: what is due this moment is not late yet. */
export function due(time, most = 1) {
  const late = now() - millis(time);
  return late < 0 ? relative(time, most) : late < 5 * SECOND ? 'now' : `due ${relative(time, most)}`;
}

/** How long something goes on, in whole seconds. */
export function elapsed(since) {
  const length = Math.floor((now() - millis(since)) / SECOND) * SECOND;
  return length < SECOND ? '0 s' : duration(length);
}

const ticking = new Set();
let timer = 0;

function tick() {
  for (const one of ticking) {
    one.refresh();
  }
  schedule();
}

function schedule() {
  clearTimeout(timer);
  timer = ticking.size === 0 || document.hidden ? 0 : setTimeout(tick, SECOND - (Date.now() % SECOND));
}

document.addEventListener('visibilitychange', () => (document.hidden ? schedule() : tick()));

class Ticking extends AsyncDirective {
  render(compute) {
    this.compute = compute;
    this.last = compute();
    if (this.isConnected) {
      this.reconnected();
    }
    return this.last;
  }

  refresh() {
    const value = this.compute();
    if (value !== this.last) {
      this.last = value;
      this.setValue(value);
    }
  }

  reconnected() {
    ticking.add(this);
    if (timer === 0) {
      schedule();
    }
  }

  disconnected() {
    ticking.delete(this);
  }
}

/** What a function says, again every second: `ticks(() => relative(time))`. */
export const ticks = directive(Ticking);

export const ago = (time) => (time ? html`<span class="ago">${ticks(() => relative(time))}</span>` : '');

/** Calls back every second while the page is seen; answers how to stop that. */
export function everySecond(call) {
  const one = {refresh: call};
  ticking.add(one);
  schedule();
  return () => ticking.delete(one);
}

/** The number with its noun: `1 run`, `2 runs`. */
export const count = (number, one, many = one + 's') => `${number.toLocaleString('en')} ${number === 1 ? one : many}`;

/** The ordinal number: 1st, 2nd, 3rd, 11th. */
export function ordinal(number) {
  const tail = number % 100 > 10 && number % 100 < 14 ? 'th' : ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th';
  return number + tail;
}
