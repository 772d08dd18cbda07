import {svg} from 'lit';
import {millis} from './times.js';

/**
 * The picture of one job's time: past runs, coming windows, and what did not happen. Marks of a kind are one path,
 * so a row costs a dozen elements however much happened in it.
 */

const MARK = 5;
const FINGER = 4;

/** A rectangle as a path, with round corners where there is room for them. */
export function box(x, y, width, height, radius = 2) {
  const r = width < 4 ? 0 : Math.min(radius, width / 2);
  const [w, h] = [width - 2 * r, height - 2 * r];
  const f = (number) => Math.round(number * 10) / 10;
  return r === 0
      ? `M${f(x)} ${y}h${f(width)}v${height}h${-f(width)}z`
      : `M${f(x + r)} ${y}h${f(w)}q${r} 0 ${r} ${r}v${h}q0 ${r} ${-r} ${r}h${-f(w)}q${-r} 0 ${-r} ${-r}v${-h}q0 ${-r} ${r} ${-r}z`;
}

/** Everything in a row at its place: {x0, x1, kind, outcome, …}, in the order of drawing; what is hit and read alike. */
export function layout(row, scale, now) {
  const items = [];
  const add = (item) => {
    if (item.x1 >= 0 && item.x0 <= scale.width) {
      items.push(item);
    }
  };
  for (const bucket of row.buckets ?? []) {
    const x0 = scale.x(millis(bucket.from));
    add({kind: 'bucket', x0, x1: Math.max(x0 + 1, scale.x(millis(bucket.to))), outcome: bucket.outcome, of: bucket});
  }
  for (const run of row.past ?? []) {
    const x0 = scale.x(millis(run.start));
    const end = run.end ? millis(run.end) : Math.max(now, millis(run.start));
    add({kind: 'run', x0, x1: Math.max(x0 + 3, scale.x(end)), outcome: run.outcome, of: run});
  }
  for (const mark of row.marks ?? []) {
    const x = scale.x(millis(mark.at ?? mark.period));
    add({kind: 'mark', x0: x - MARK, x1: x + MARK, outcome: mark.outcome, of: mark});
  }
  for (const coming of row.coming ?? []) {
    const x = scale.x(millis(coming.at));
    const x0 = Math.min(x, coming.windowStart ? scale.x(millis(coming.windowStart)) : x);
    const x1 = Math.max(x, coming.windowEnd ? scale.x(millis(coming.windowEnd)) : x);
    add({kind: 'coming', x0: x0 - 1, x1: x1 + 1, at: x, outcome: 'coming', of: coming});
  }
  return items;
}

/** The item under a pointer; of several the smallest, which lies on top. */
export function hit(items, x) {
  let best;
  for (const item of items) {
    const [x0, x1] = item.kind === 'coming' && Math.abs(item.at - x) <= FINGER ? [item.at - FINGER, item.at + FINGER] : [item.x0, item.x1];
    if (x >= x0 - FINGER && x <= x1 + FINGER && (best === undefined || x1 - x0 < best.width)) {
      best = {item, width: x1 - x0};
    }
  }
  return best?.item;
}

const BARS = {
  succeeded: (x, w, y) => box(x, y, w, 16),
  failed: (x, w, y) => box(x, y, w, 16) + wedge(x, w, y),
  timed_out: (x, w, y) => box(x, y, w, 16) + wedge(x, w, y),
  not_started: (x, w, y) => box(x + 0.75, y + 1, Math.max(6, w - 1.5), 14) + wedge(x, Math.max(6, w), y),
  unknown: (x, w, y) => box(x + 0.75, y + 1, Math.max(3, w - 1.5), 14),
  stopped: (x, w, y) => box(x, y + 4, w, 8, 1),
  running: (x, w, y) => box(x, y, w, 16),
  missed: (x, w, y) => box(x + w / 2 - 4, y + 2.5, 8, 11),
  skipped: (x, w, y) => box(x + w / 2 - 5, y + 2, 10, 12),
  unschedulable: (x, w, y) => `M${r(x + w / 2 - 4)} ${y + 4}l8 8m0-8l-8 8`,
  coming: (x, w, y) => box(x, y + 2, w, 12, 0),
};

const r = (number) => Math.round(number * 10) / 10;

/** The sign of a failure below its bar, which the narrowest one has too. */
function wedge(x, w, y) {
  const middle = w < 12 ? x + w / 2 : x + 6;
  return `M${r(middle - 4)} ${y + 22}l4-5l4 5z`;
}

const hatch = (x, w, y) => {
  const left = r(x + w / 2 - 5);
  return `M${left} ${y + 8}l5-6M${left} ${y + 13}l9-11M${left + 4} ${y + 14}l6-7`;
};

const CLASSES = {
  succeeded: 'f-succeeded', failed: 'f-failed', timed_out: 'f-failed', not_started: 's-failed', unknown: 's-unknown', stopped: 'f-stopped',
  running: 'f-running', missed: 's-missed', skipped: 'f-skipped', unschedulable: 's-unschedulable', coming: 'f-coming',
};

/** The drawing of a row's items, with the tops of its bars at y. */
export function draw(items, scale, y, chosen) {
  const paths = {};
  let [windows, pastWindows, seconds, hatches, caps] = ['', '', '', '', ''];
  for (const item of items) {
    const {of, outcome} = item;
    const begin = Math.max(item.x0, -20);
    const width = Math.min(item.x1, scale.width + 20) - begin;
    if (item.kind === 'coming') {
      windows += box(begin, y + 2, width, 12, 3);
      seconds += box(item.at - 1.25, y, 2.5, 16, 0);
      continue;
    }
    if (of.windowStart && of.windowEnd && of.windowStart !== of.windowEnd) {
      const x0 = Math.max(-20, scale.x(millis(of.windowStart)));
      const x1 = Math.min(scale.width + 20, scale.x(millis(of.windowEnd)));
      pastWindows += x1 > x0 ? box(x0, y + 2, x1 - x0, 12, 3) : '';
    }
    paths[outcome] = (paths[outcome] ?? '') + (BARS[outcome] ?? BARS.unknown)(begin, width, y);
    if (outcome === 'skipped') {
      hatches += hatch(begin, width, y);
    } else if (outcome === 'timed_out' && item.kind === 'run') {
      caps += box(begin + width - 1, y - 2, 2, 20, 0);
    }
  }
  return svg`<path class="f-window-past" d=${pastWindows} /><path class="f-window" d=${windows} />
    ${Object.entries(paths).map(([outcome, d]) => svg`<path class=${CLASSES[outcome] ?? 's-unknown'} data-outcome=${outcome} d=${d} />`)}
    <path class="s-skipped" d=${hatches} /><path class="f-ink" d=${caps} /><path class="f-running" data-outcome="second" d=${seconds} />
    ${chosen === undefined ? '' : svg`<path class="s-chosen" d=${box(chosen.x0 - 3, y - 4, chosen.x1 - chosen.x0 + 6, 28, 4)} />`}`;
}
