import {label} from './outcomes.js';
import {clock, count, date, duration, hourMinute, millis, moment, now} from './times.js';

/** What the timeline's pictures say, in words: for those who do not see them, and for the one who points. */

function stamp(time, others) {
  return others.every((other) => date(other) === date(time)) ? hourMinute(time) : moment(time);
}

const NOT_RUN = ['missed', 'skipped', 'unschedulable'];

/** A row as a sentence: `backup: 12 runs between 06:00 and 14:00, 2 failed, next at 15:12`. */
export function describeRow(row, from, to) {
  const within = (time) => millis(time) >= from && millis(time) <= to;
  const counts = {};
  const note = (outcome, number = 1) => (counts[outcome] = (counts[outcome] ?? 0) + number);
  for (const run of row.past ?? []) {
    if (millis(run.start) <= to && (!run.end || millis(run.end) >= from)) {
      note(run.outcome);
    }
  }
  for (const mark of row.marks ?? []) {
    if (within(mark.at ?? mark.period)) {
      note(mark.outcome);
    }
  }
  for (const bucket of row.buckets ?? []) {
    if (within(bucket.from)) {
      note(bucket.outcome, bucket.count ?? 1);
    }
  }
  const runs = Object.entries(counts).filter(([outcome]) => outcome !== 'coming' && !NOT_RUN.includes(outcome))
      .reduce((sum, [, number]) => sum + number, 0);
  const span = `between ${stamp(from, [to, now()])} and ${stamp(to, [from, now()])}`;
  const words = [runs === 0 ? `no run ${span}` : `${count(runs, 'run')} ${span}`];
  for (const outcome of ['failed', 'timed_out', 'not_started', 'unknown', 'stopped', 'running', ...NOT_RUN]) {
    if (counts[outcome] > 0) {
      words.push(`${counts[outcome]} ${label(outcome)}`);
    }
  }
  const next = (row.coming ?? []).find((coming) => millis(coming.at) >= now());
  if (next !== undefined) {
    words.push(`next at ${stamp(millis(next.at), [now()])}`);
  }
  return `${row.job}: ${words.join(', ')}`;
}

const precise = (time) => (date(time) === date(now()) ? clock(time) : `${date(time)} ${clock(time)}`);

/** An item of a row, as lines. */
export function describeItem({kind, of, outcome}) {
  if (kind === 'bucket') {
    const when = `between ${precise(of.from)} and ${precise(of.to)}`;
    return outcome === 'coming' ? [`runs ${when}`] : [`${count(of.count ?? 1, 'run')} ${when}`, `at worst: ${label(outcome)}`];
  }
  if (kind === 'coming') {
    const lines = [`runs at ${precise(of.at)}`];
    if (of.windowStart && of.windowStart !== of.windowEnd) {
      lines.push(`window ${precise(of.windowStart)} to ${precise(of.windowEnd)}`);
    }
    return lines;
  }
  const at = kind === 'run' ? of.start : (of.at ?? of.period);
  const how = outcome === 'failed' && of.exit ? `failed, exit ${of.exit}` : label(outcome);
  const lines = [`${how} ${kind === 'run' ? 'from' : 'at'} ${precise(at)}`];
  if (kind === 'run') {
    lines.push(of.end
        ? `to ${precise(of.end)}, ${duration(millis(of.end) - millis(of.start))}` : `for ${duration(now() - millis(of.start))} so far`);
  }
  if (of.reason) {
    lines.push(of.reason);
  }
  if (of.windowStart && of.windowStart !== of.windowEnd) {
    lines.push(`window ${precise(of.windowStart)} to ${precise(of.windowEnd)}`);
  }
  return lines;
}
