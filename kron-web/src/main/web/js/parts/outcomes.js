import {html, svg} from 'lit';

/**
 * The outcomes of runs and periods: one word, one colour and one mark each, the same everywhere. What ran is a solid
 * bar, failed ones with a wedge below; what did not happen is hollow (missed), hatched (skipped) or crossed
 * (unschedulable), so that no colour alone carries meaning.
 */
export const OUTCOMES = [
  'succeeded', 'failed', 'timed_out', 'not_started', 'unknown', 'stopped', 'running', 'missed', 'skipped', 'unschedulable',
];

/** From the worst to the best; the worst of a day or of a pixel is the one that is shown. */
const WORST_FIRST = [
  'failed', 'timed_out', 'not_started', 'unknown', 'missed', 'unschedulable', 'stopped', 'skipped', 'running', 'succeeded',
];

export const worst = (outcomes) => WORST_FIRST.find((outcome) => outcomes.includes(outcome));

export const label = (outcome) => (outcome ?? 'none').replaceAll('_', ' ');

export const isFailure = (outcome) => ['failed', 'timed_out', 'not_started'].includes(outcome);

/** The outcome of a run as the API tells it. */
export const outcomeOf = (run) => (run.state && run.state !== 'ended' ? 'running' : (run.result ?? run.outcome ?? 'unknown'));

/** How a run ended, or how far it is, in a word or two. */
export function ending(run) {
  if (run.state && run.state !== 'ended') {
    return run.state === 'started' ? 'running' : run.state;
  }
  const outcome = outcomeOf(run);
  if (!['succeeded', 'failed', 'unknown'].includes(outcome)) {
    return label(outcome);
  }
  if (run.signal !== null && run.signal !== undefined) {
    return `signal ${run.signal}`;
  }
  return run.exitCode === null || run.exitCode === undefined ? 'exit unknown' : `exit ${run.exitCode}`;
}

/** Shapes of a mark in a box of 14 by 12. */
const SHAPES = {
  succeeded: svg`<rect class="f-succeeded" x="1" y="1" width="12" height="8" rx="1.5" />`,
  failed: svg`<rect class="f-failed" x="1" y="1" width="12" height="7" rx="1.5" /><path class="f-failed" d="M3 12l4-4.5 4 4.5z" />`,
  timed_out: svg`<rect class="f-failed" x="1" y="1" width="10" height="7" rx="1.5" /><path class="f-ink" d="M11 0h2v9h-2z" /><path class="f-failed" d="M2 12l4-4.5 4 4.5z" />`,
  not_started: svg`<path class="s-failed" d="M2 1.5h10v6h-10z" /><path class="f-failed" d="M3 12l4-4 4 4z" />`,
  unknown: svg`<rect class="s-unknown" x="2" y="2" width="10" height="7" rx="1.5" />`,
  stopped: svg`<rect class="f-stopped" x="1" y="3" width="12" height="5" rx="1" />`,
  running: svg`<path class="f-running" d="M2.5 1h7l3.5 4-3.5 4h-7a1.5 1.5 0 0 1-1.5-1.5v-5a1.5 1.5 0 0 1 1.5-1.5z" />`,
  missed: svg`<rect class="s-missed" x="3" y="1" width="8" height="9" rx="1.5" />`,
  skipped: svg`<rect class="f-skipped" x="2" y="1" width="10" height="9" rx="1.5" /><path class="s-skipped" d="M3 6l4-5M3 10l7-9M6 10l6-7" />`,
  unschedulable: svg`<path class="s-unschedulable" d="M3 2l8 8M11 2l-8 8" />`,
  window: svg`<rect class="f-window" x="0" y="2" width="14" height="7" rx="2" /><path class="f-running" d="M8 0h2v11h-2z" />`,
  none: svg`<path class="s-none" d="M4 5.5h6" />`,
};

/** The mark of an outcome, for lists and legends; its word stands beside it. */
export const mark = (outcome) =>
  html`<svg class="mark" viewBox="0 0 14 12" width="14" height="12" aria-hidden="true">${SHAPES[outcome] ?? SHAPES.none}</svg>`;

/** The mark with its word, or with what is told of it. */
export const outcome = (word, text = label(word)) =>
  html`<span class="outcome t-${word}">${mark(word)}<bdi>${text}</bdi></span>`;

const TREND = {'.': 'succeeded', x: 'failed', '-': 'skipped'};

/** The last ten ends of a job, newest on the right, from what the API writes as `..x-.`. */
export function trend(text) {
  const words = [...(text ?? '')].map((sign) => TREND[sign] ?? 'skipped');
  if (words.length === 0) {
    return html`<span class="quiet">–</span>`;
  }
  const failed = words.filter((word) => word === 'failed').length;
  const bars = words.map((word, i) => {
    const x = (10 - words.length + i) * 6;
    return word === 'failed'
        ? svg`<path class="f-failed" d="M${x} 1h4v9h-4zM${x - 0.5} 14l2.5-3.5 2.5 3.5z" />`
        : word === 'succeeded'
            ? svg`<path class="f-succeeded" d="M${x} 3h4v7h-4z" />`
            : svg`<path class="s-trend" d="M${x + 0.5} 5.5h3v4h-3z" />`;
  });
  const told = `of the last ${words.length}, ${failed} failed`;
  return html`<svg class="trend" viewBox="0 0 60 15" width="60" height="15" role="img" aria-label=${told}><title>${told}</title>${bars}</svg>`;
}
