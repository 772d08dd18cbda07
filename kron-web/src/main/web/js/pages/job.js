import {html, nothing, svg} from 'lit';
import {act, actAfter, buttons} from '../parts/actions.js';
import {AuthorityController} from '../parts/authority.js';
import {Scale} from '../parts/axis.js';
import '../parts/calendar.js';
import {show} from '../parts/dialogs.js';
import '../parts/durations.js';
import {execution} from '../parts/execution.js';
import {historyOf} from '../parts/history.js';
import {ending, outcome, outcomeOf} from '../parts/outcomes.js';
import {get, Page} from '../parts/page.js';
import {api, link} from '../parts/routes.js';
import {box} from '../parts/row-picture.js';
import {length, runsTable} from '../parts/runs-table.js';
import {scheduleWords, spoken} from '../parts/schedule-words.js';
import {listed} from '../parts/sentences.js';
import {ago, count, DAY, millis, now, offsetAt, ordinal, relative, ticks, when} from '../parts/times.js';

const DECISIONS = 10;
const RUNS = 30;
const MUTES = [['1h', 'for an hour'], ['8h', 'for 8 hours'], ['24h', 'for a day'], ['168h', 'for a week']];

/** A job: its schedule in words, what it will do, what it did, and why. */
class Job extends Page {
  constructor() {
    super();
    this.authority = new AuthorityController(this);
    this.limit = RUNS;
  }

  async load(signal) {
    const {name} = this.params;
    const part = (tail, query) => get(api('jobs', name, tail), query, signal);
    const [job, {runs}, history] = await Promise.all([get(api('jobs', name), undefined, signal), part('runs', {limit: this.limit}), historyOf(name, signal)]);
    const {decisions} = job.schedule === null || /^@(manual|boot)/.test(job.schedule) ? {decisions: []} : await part('decisions', {count: DECISIONS});
    return {job, runs, history, decisions, asOf: history.asOf};
  }

  concerns({component, identity, of}) {
    const here = this.data?.job.identity;
    return here === undefined || identity === here || component === 'config' || (component === 'control' && (of === undefined || here.endsWith(of)));
  }

  /** The end of a mute is no event: it is drawn when its time has come. */
  followMute() {
    clearTimeout(this.muteEnds);
    const left = millis(this.data?.job.mutedUntil ?? '') - now();
    if (left > 0 && left < DAY) {
      this.muteEnds = setTimeout(() => this.requestUpdate(), left + 50);
    }
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.muteEnds);
  }

  updated() {
    this.followMute();
    const {period} = this.params.query ?? {};
    if (this.data !== undefined && period !== this.asked) {
      this.asked = period;
      if (period) {
        this.why(period);
      }
    }
  }

  view({job, runs, history, decisions}) {
    const {entry} = job;
    const words = scheduleWords(job.schedule);
    return html`
      <div><div class="title"><h1><bdi>${job.name}</bdi></h1><a class="quiet" href=${link('jobs', undefined, {group: entry?.file})}><bdi>${entry ? `${entry.file}, line ${entry.line}` : 'in no file any more'}</bdi></a></div>
        ${job.description ? html`<p class="lead"><bdi>${job.description}</bdi></p>` : nothing}
        <p class="lead">${words ? html`${words}. ` : nothing}<code><bdi>${job.schedule ?? ''}</bdi></code></p>
        <p class="lead">${this.sentence(job)}</p>${job.fleet === null ? nothing : inFleet(job)}</div>
      ${this.buttons(job)}
      ${job.active.length === 0 ? nothing : html`<section><h2>Running</h2>${runsTable(job.active, job.timezone, (period) => this.why(period))}</section>`}
      <div class="two">
        <section aria-labelledby="job-next"><h2 id="job-next">Next decisions</h2>${this.next(job, decisions)}</section>
        <section aria-labelledby="job-durations"><h2 id="job-durations">How long it took</h2><kron-durations .history=${history}></kron-durations></section></div>
      <section aria-labelledby="job-year"><h2 id="job-year">The last year${history.zone ? html` <span class="plain-case">days of ${history.zone}</span>` : nothing}</h2>
        <kron-calendar .days=${history.days} .zone=${history.zone ?? 'UTC'} @day=${(e) => this.whyDay(e.detail, history.zone ?? 'UTC')}></kron-calendar></section>
      <section aria-labelledby="job-runs"><h2 id="job-runs">Runs</h2>${runs.length === 0 ? html`<p class="quiet">None yet.</p>` : runsTable(runs, job.timezone, (period) => this.why(period))}
        ${runs.length < this.limit ? nothing : html`<p class="more"><button type="button" class="link" @click=${this.more}>more</button></p>`}</section>
      <section aria-labelledby="job-executed"><h2 id="job-executed">What will be executed</h2>${execution(job.execution)}${entry ? policy(entry) : nothing}</section>`;
  }

  sentence(job) {
    const {last} = job;
    const parts = [];
    if (job.suspended) {
      parts.push(html`<strong>Suspended:</strong> it is not started until it is resumed. `);
    }
    if (job.heldUntil) {
      parts.push(html`Held until ${when(job.heldUntil)}, because a clock was once ahead. `);
    }
    if (isMuted(job)) {
      parts.push(html`<strong>Muted</strong> until ${when(job.mutedUntil)}: nobody is told of its failures. `);
    }
    parts.push(last ? html`Last: ${outcome(outcomeOf(last), ending(last))} ${ago(last.completedAt ?? last.chosenTime ?? last.nominalTime)}${last.startedAt
      ? html`, after ${length(last)}` : nothing}. ` : 'It has not run yet. ');
    if (job.retryAt) {
      parts.push(html`The ${ordinal(job.retryAttempt)} attempt begins ${ticks(() => relative(job.retryAt))}. `);
    }
    if (job.nextDue) {
      parts.push(html`Next ${when(job.nextDue, job.timezone)}, ${ago(job.nextDue)}.`);
    }
    return parts;
  }

  /** What concerns this machine; a job of a fleet is directed on its page in the fleet. */
  buttons(job) {
    const isShared = job.fleet !== null;
    const path = (tail) => api('jobs', job.identity, tail);
    const also = job.entry?.then?.length > 0 ? [`When it succeeds, ${listed(job.entry.then)} will run too.`] : [];
    return buttons([
      ['Run now', () => actAfter({title: `Run ${job.name} now?`, act: 'Run now', sentences: [job.activeRuns > 0
        ? `${count(job.activeRuns, 'run')} of it ${job.activeRuns === 1 ? 'goes' : 'go'} on; its policy is concurrency=${job.entry?.concurrency ?? 'forbid'}.` : 'It begins at once, whatever its schedule says.', ...also]}, path('trigger')), {hidden: isShared, off: !job.inFile && 'it is in no file any more'}],
      ['Stop', () => actAfter({title: `Stop ${job.name}?`, act: 'Stop', danger: true, sentences: [
        `${count(job.activeRuns, 'run')} will be sent TERM, and KILL ten seconds later. That is on record as stopped by you, and is no failure.`, ...(also.length > 0 ? [`${listed(job.entry.then)} will not follow.`] : [])]}, path('stop')), {danger: true, off: job.activeRuns === 0 && 'no run of it goes on'}],
      ['Suspend', () => actAfter({title: `Suspend ${job.name}?`, act: 'Suspend', danger: true, sentences: [
        'It is started no more until somebody resumes it, also after a restart of the daemon. What runs goes on.', ...(job.retryAt ? ['The attempt that waits is given up.'] : [])]}, path('suspend')), {hidden: isShared || job.suspended}],
      ['Resume', () => act(path('resume')), {hidden: isShared || !job.suspended}],
      ['Mute', () => actAfter({title: `Mute ${job.name}?`, act: 'Mute', sentences: ['It runs as ever; nobody is told of its failures meanwhile.'], choices: {label: 'How long', values: MUTES}}, path('mute'), (length) => ({for: length})), {hidden: isMuted(job)}],
      ['Unmute', () => act(path('unmute')), {hidden: !isMuted(job)}],
      ['Cancel the waiting attempt', () => actAfter({title: `Cancel the ${ordinal(job.retryAttempt)} attempt of ${job.name}?`, act: 'Cancel it', danger: true, sentences: [
        'The run stays failed, and its alert is sent.', ...(job.activeRuns > 0 ? [`${count(job.activeRuns, 'run')} that ${job.activeRuns === 1 ? 'goes' : 'go'} on will be stopped too.`] : [])]}, path('stop')), {hidden: !job.retryAt}],
    ]);
  }

  next(job, decisions) {
    if (decisions.length === 0) {
      return html`<p class="quiet">${job.suspended ? 'It is suspended.' : 'No time of its own.'}</p>`;
    }
    const longest = Math.max(1, ...decisions.map((one) => millis(one.windowEnd) - millis(one.windowStart)));
    return html`<table class="facts decisions"><tbody>${decisions.map((one) => html`<tr>
      <th scope="row">${one.unschedulable ? outcome('unschedulable') : when(one.due ?? one.chosenTime, one.timezone)}</th>
      <td>${windowPicture(one, longest)}</td>
      <td><button type="button" class="link" @click=${() => explain(one)}>${ticks(() => relative(one.due ?? one.nominalTime))}</button></td></tr>`)}</tbody></table>`;
  }

  more() {
    this.limit += 100;
    this.reload();
  }

  async why(from, to) {
    const {identity, timezone, name} = this.data.job;
    try {
      const answer = await get(api('jobs', identity, 'why'), {from, to: to ?? new Date(millis(from) + 1000).toISOString()}, this.ended.signal);
      show(`Why, ${name}?`, html`${answer.periods.map((one) => html`<p>${when(one.nominalTime, timezone)} ${outcome(verdict(one), one.verdict)}</p><p><bdi>${one.explanation}</bdi></p>`)}
        ${answer.periods.length === 0 ? html`<p>No period of it lies there.</p>` : nothing}
        ${answer.notes.map((note) => html`<p class="quiet"><bdi>${note}</bdi></p>`)}`);
    } catch (error) {
      show(`Why, ${name}?`, html`<p class="problem"><bdi>${error.detail ?? error.message}</bdi></p>`);
    }
  }

  /** All periods of a day of the job's zone. */
  whyDay(day, zone) {
    const utc = Date.parse(day + 'T00:00:00Z');
    const begin = utc - offsetAt(utc, zone);
    this.why(new Date(begin).toISOString(), new Date(begin + DAY).toISOString());
  }
}

/** How a job of a fleet stands in it, as this machine saw it last. */
const inFleet = ({identity, fleet}) => html`<p class="lead">It is a job of the <a href=${link('fleet', identity)}>fleet</a>, where it is run, suspended and resumed for all nodes.
  ${fleet.lostRun ? html`<strong>Held</strong> by a lost run, <span class="mono"><bdi>${fleet.lostRun}</bdi></span>. ` : nothing}${fleet.differs ? 'Other files are in force than this node has.' : nothing}</p>`;

const isMuted = ({mutedUntil}) => mutedUntil !== null && millis(mutedUntil) > now();

const verdict = ({verdict: word, run}) => (run ? outcomeOf(run) : word === 'executed' ? 'succeeded' : word);

/** A window to the scale of the longest, with its chosen second. */
function windowPicture(one, longest) {
  const width = Math.max(3, ((millis(one.windowEnd) - millis(one.windowStart)) / longest) * 140);
  const scale = new Scale(millis(one.windowStart), Math.max(millis(one.windowEnd), millis(one.windowStart) + 1), width);
  return html`<svg class="mark" width="144" height="14" viewBox="0 0 144 14" aria-hidden="true">${svg`<path class="f-window" d=${box(0, 2, width, 10, 3)} />
    ${one.chosenTime ? svg`<path class="f-running" d=${box(Math.min(width, scale.x(millis(one.chosenTime))), 0, 2.5, 14, 0)} />` : svg`<path class="s-unschedulable" d="M4 3l8 8m0-8l-8 8" />`}`}</svg>`;
}

/** How a second was decided. */
const explain = (one) => show('How it was decided', html`<dl class="pairs">
  <dt>period</dt><dd>${when(one.nominalTime, one.timezone)}</dd>
  <dt>window</dt><dd>${when(one.windowStart)} to ${when(one.windowEnd)}</dd>
  <dt>chosen</dt><dd>${one.chosenTime ? when(one.chosenTime, one.timezone) : html`<bdi>${one.reason}</bdi>`}</dd>
  <dt>due</dt><dd>${when(one.due)}</dd>
  <dt>distribution</dt><dd>${one.distribution.name}</dd>
  <dt>draws</dt><dd>${one.attempts} of at most ${one.maxAttempts}</dd>
  <dt>seed</dt><dd class="mono">${one.seedHash}</dd></dl>`);

const policy = (entry) => html`<dl class="pairs"><dt>policy</dt><dd>concurrency ${entry.concurrency}, deadline ${spoken(entry.deadline)}, ${entry.timeout ? `timeout ${spoken(entry.timeout)}` : 'no timeout'}, ${entry.retries === 0
  ? 'not tried again' : `tried again ${count(entry.retries, 'time')}, first after ${spoken(entry.retrydelay)}`}</dd>
  ${entry.onfailure.length === 0 ? nothing : html`<dt>on failure</dt><dd class="mono"><bdi>${entry.onfailure.join(' ')}</bdi></dd>`}
  ${entry.then.length === 0 ? nothing : html`<dt>then</dt><dd>${entry.then.map((name) => html`<a href=${link('job', entry.file + ':' + name)}><bdi>${name}</bdi></a> `)}</dd>`}</dl>`;

customElements.define('kron-job', Job);
