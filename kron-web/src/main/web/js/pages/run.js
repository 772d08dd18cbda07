import {html, nothing} from 'lit';
import {actAfter, buttons} from '../parts/actions.js';
import {AuthorityController} from '../parts/authority.js';
import '../parts/durations.js';
import {execution} from '../parts/execution.js';
import {historyOf} from '../parts/history.js';
import {ending, label, outcome, outcomeOf} from '../parts/outcomes.js';
import '../parts/output.js';
import {get, Page} from '../parts/page.js';
import {api, link, nameOf} from '../parts/routes.js';
import {length} from '../parts/runs-table.js';
import {ago, clock, ordinal, when} from '../parts/times.js';

const SIGNALS = [['TERM', 'TERM, and KILL ten seconds later'], ['INT', 'INT'], ['HUP', 'HUP'], ['KILL', 'KILL']];

/** A run: what it wrote, how it ended and by whom, what was executed, and its place in the job's history. */
class Run extends Page {
  static properties = {stream: {state: true}};

  constructor() {
    super();
    this.stream = undefined;
    this.authority = new AuthorityController(this);
  }

  async load(signal) {
    const run = await get(api('runs', this.params.name), undefined, signal);
    const [job, history] = await Promise.all([
      get(api('jobs', run.identity), undefined, signal).catch(() => undefined),
      historyOf(run.identity, signal),
    ]);
    return {run, job, history};
  }

  moved() {
    this.stream = undefined;
    super.moved();
  }

  concerns({run, identity}) {
    return run === this.params.name || (this.data !== undefined && identity === this.data.run.identity);
  }

  view({run, job, history}) {
    const name = nameOf(run.identity);
    const order = history.runs.filter((one) => one.run);
    const at = order.findIndex((one) => one.run === run.runId);
    const stream = this.stream ?? 'stdout';
    return html`
      <div><div class="title"><h1><a class="plain" href=${link('job', run.identity)}><bdi>${name}</bdi></a></h1><span class="quiet mono">${run.runId}</span></div>
        <p class="lead">${this.sentence(run, job)}</p></div>
      ${run.state === 'ended' ? nothing : buttons([['Stop', () => actAfter({title: `Stop this run of ${name}?`, act: 'Stop', danger: true, sentences: [
        'Its whole process group is ended. That is on record as stopped by you, and is no failure.'], choices: {label: 'Signal', values: SIGNALS}},
        api('runs', run.runId, 'stop'), (choice) => (choice === 'TERM' ? undefined : {signal: choice})), {danger: true}]])}
      <section aria-label="Output">
        <div class="segments" role="group" aria-label="Stream">${['stdout', 'stderr'].map((one) => html`<button type="button" aria-pressed=${one === stream} @click=${() => (this.stream = one)}>${one}</button>`)}</div>
        <kron-output .path=${`${api('runs', run.runId)}/logs/${stream}`} .name=${`${name} ${stream} ${run.runId}`}></kron-output></section>
      <section aria-labelledby="run-place"><h2 id="run-place">Its place in the history</h2>
        <kron-durations .history=${history} .chosen=${run.runId}></kron-durations>
        ${at < 0 ? nothing : html`<p class="actions">${neighbour(order[at + 1], '← the run before')}${neighbour(order[at - 1], 'the run after →')}</p>`}</section>
      <section aria-labelledby="run-executed"><h2 id="run-executed">What was executed</h2>${execution(run.execution)}</section>`;
  }

  sentence(run, job) {
    const word = outcomeOf(run);
    const parts = [outcome(word, run.state === 'ended' ? `${label(word)}${word === 'succeeded' || ending(run) === label(word) ? '' : `, ${ending(run)}`}` : ending(run)),
      run.startedAt ? html`, began ${when(run.startedAt, job?.timezone)}` : nothing,
      run.startedAt ? html`, ${run.completedAt ? 'took' : 'for'} <span class="mono">${length(run)}</span>` : nothing,
      run.completedAt ? html`, ended ${when(run.completedAt, undefined, clock)} (${ago(run.completedAt)})` : nothing, '. '];
    if (run.reason) {
      parts.push(html`<bdi>${run.reason[0].toUpperCase() + run.reason.slice(1)}</bdi>. `);
    }
    parts.push(run.manual ? 'Somebody asked for it.'
      : run.causedBy ? html`It followed <a class="mono" href=${link('run', run.causedBy)}>${run.causedBy}</a>.`
        : run.nominalTime ? html`For the period <a href=${link('job', run.identity, {period: run.nominalTime})}>${when(run.nominalTime, job?.timezone)}</a>, chosen ${when(run.chosenTime, undefined, clock)}.` : nothing);
    if (run.attempt > 1) {
      parts.push(` It is the ${ordinal(run.attempt)} attempt.`);
    }
    if (run.pid) {
      parts.push(html` Its pid is <span class="mono">${run.pid}</span>.`);
    }
    return parts;
  }
}

const neighbour = (run, words) => (run === undefined ? nothing : html`<a href=${link('run', run.run)}>${words}</a> ${outcome(run.outcome)}`);

customElements.define('kron-run', Run);
