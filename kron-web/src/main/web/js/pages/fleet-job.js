import {html, nothing} from 'lit';
import {act, actAfter, buttons} from '../parts/actions.js';
import {show, tell} from '../parts/dialogs.js';
import {FleetPage} from '../parts/fleet-page.js';
import {clipped, fleetEnding, jobState, releaseQuestion, remarks, reruns} from '../parts/fleet-words.js';
import {get} from '../parts/page.js';
import {api, link} from '../parts/routes.js';
import {length} from '../parts/runs-table.js';
import {count, when} from '../parts/times.js';

const RUNS = 30;

/** A job in the whole fleet: where it runs, who has it in which files, its runs on all nodes, and what directs it. */
class FleetJob extends FleetPage {
  constructor() {
    super();
    this.limit = RUNS;
  }

  async loadFrom(_status, signal) {
    const {name} = this.params;
    const job = await get(api('fleet', 'jobs', name), undefined, signal);
    const {nodes} = await get('/v1/fleet/nodes', undefined, signal);
    const {runs} = await get('/v1/fleet/runs', {job: name, limit: this.limit}, signal);
    const {jobs} = await get('/v1/jobs', {filter: name, limit: RUNS}, signal);
    return {job, nodes, runs, isHere: jobs.some((one) => one.identity === job.identity && one.inFile)};
  }

  moved() {
    this.limit = RUNS;
    super.moved();
  }

  view({status, job, nodes, runs, isHere}) {
    return html`
      <div><div class="title"><h1><bdi>${job.name}</bdi></h1><a class="quiet" href="#/fleet">in the fleet</a> <span class="quiet mono"><bdi>${job.identity}</bdi></span></div>
        <p class="lead">${jobState(job, reruns(status))}. ${placement(job.on)} ${count(job.nodes, 'living node has', 'living nodes have')} it${job.differing > 0 ? html`, <span class="t-missed">${job.differing} with another definition than the one in force</span>` : nothing};
          in force is <code title=${job.definition}><bdi>${job.definition.slice(0, 12)}</bdi></code>.
          ${isHere ? html`Its schedule, and what this node did of it, are on <a href=${link('job', job.identity)}>its own page</a>.` : 'This node’s files do not have it.'}</p></div>
      ${this.buttons(job, nodes)}
      <section aria-labelledby="fleet-rows"><h2 id="fleet-rows">Where it is</h2>${this.rows(job, reruns(status))}</section>
      <section aria-labelledby="fleet-runs"><h2 id="fleet-runs">Runs on all nodes</h2>${runs.length === 0 ? html`<p class="quiet">None is on record.</p>` : this.table(runs, status.node?.id)}
        ${runs.length < this.limit ? nothing : html`<p class="more"><button type="button" class="link" @click=${this.more}>more</button></p>`}</section>`;
  }

  more() {
    this.limit += 100;
    this.reload();
  }

  buttons(job, nodes) {
    const path = (tail) => api('fleet', 'jobs', job.identity, tail);
    const {label, each} = meant(job.on);
    const able = nodes.filter((node) => node.state === 'live' && (label === undefined || node.labels.includes(label)));
    const choices = [...(each ? [] : [['', 'whichever is first']]), ...able.map(({name}) => [name, name])];
    const held = job.rows.filter((row) => row.active !== null && row.lostSince !== null);
    return buttons([
      ['Run now', () => actAfter({title: `Run ${job.name} now?`, act: 'Run now', sentences: [
        `${each ? 'The node that is chosen' : 'One node'} runs it at once or within a minute, after that nobody. Its concurrency counts in the whole fleet.`], choices: {label: 'Node', values: choices}},
        path('trigger'), (node) => ({node}), () => undefined), {off: able.length === 0 ? 'no node that could run it lives' : job.nodes === 0 && 'no living node has it'}],
      ['Suspend', () => actAfter({title: `Suspend ${job.name} in the whole fleet?`, act: 'Suspend', danger: true, sentences: [
        'Nothing of it is started on any node until somebody resumes it. What runs goes on.']}, path('suspend')), {hidden: job.suspended}],
      ['Resume', () => act(path('resume')), {hidden: !job.suspended}],
      ...held.map(({active}) => [`Release the lost run${held.length > 1 ? ` on ${active.node}` : ''}`, () =>
        actAfter(releaseQuestion(job.name, active.runId, active.node), api('fleet', 'runs', active.runId, 'release')), {danger: true}]),
    ]);
  }

  rows({rows}, runsAgain) {
    return html`<div class="wide" tabindex="0" role="group" aria-label="Where it is"><table class="runs"><thead><tr><th scope="col">For</th><th scope="col">Active</th><th scope="col">Last period</th>
      <th scope="col">What became of it</th><th scope="col">To come</th></tr></thead><tbody>${rows.map((row) => html`<tr>
        <th scope="row">${clipped(row.node ?? 'all nodes')}</th>
        <td>${this.stands(row.active)}</td><td>${when(row.lastNominalTime)}</td><td>${this.stands(row.last)}</td>
        <td>${row.lostSince ? html`<span class="t-missed">Lost since ${when(row.lostSince)}${runsAgain.has(row.active?.runId) ? html`; another node runs it again from ${when(row.rerunAt)}` : ', and holds it'}.</span>`
          : row.retryAt ? html`another attempt from ${when(row.retryAt)}` : html`<span class="quiet">–</span>`}</td></tr>`)}</tbody></table></div>`;
  }

  stands(run) {
    return run === null ? html`<span class="quiet">–</span>`
      : html`${fleetEnding(run)} on ${clipped(run.node)} <small>${this.ago(run.completedAt ?? run.startedAt ?? run.claimedAt)}</small>`;
  }

  table(runs, here) {
    return html`<div class="wide" tabindex="0" role="group" aria-label="Runs on all nodes"><table class="runs"><thead><tr><th scope="col">Taken</th><th scope="col">Ended</th><th scope="col">Node</th>
      <th scope="col" class="number">Took</th><th scope="col">Period</th><th scope="col">Why</th></tr></thead><tbody>${runs.map((run) => html`<tr>
        <th scope="row"><button type="button" class="link" title=${run.runId} @click=${() => this.open(run, here)}>${when(run.claimedAt)}</button></th>
        <td>${fleetEnding(run)}</td><td>${clipped(run.node)}</td><td class="mono number">${run.completedAt || run.state === 'running' ? length(run) : ''}</td>
        <td>${when(run.nominalTime)}</td><td class="quiet"><bdi>${remarks(run)}</bdi></td></tr>`)}</tbody></table></div>`;
  }

  /** All that is on record of a run; its whole output is on its own node. */
  async open({runId}, here) {
    try {
      const run = await get(api('fleet', 'runs', runId), undefined, this.ended.signal);
      show(`Run on ${run.node}`, html`<dl class="pairs"><dt>run</dt><dd class="mono">${run.nodeId === here ? html`<a href=${link('run', run.runId)} @click=${close}><bdi>${run.runId}</bdi></a>` : html`<bdi>${run.runId}</bdi>`}</dd>
        <dt>how</dt><dd>${fleetEnding(run)}</dd><dt>taken</dt><dd>${when(run.claimedAt)}</dd><dt>began</dt><dd>${when(run.startedAt)}</dd><dt>ended</dt><dd>${when(run.completedAt)}</dd>
        ${remarks(run) === '' ? nothing : html`<dt>why</dt><dd><bdi>${remarks(run)}</bdi></dd>`}</dl>
        ${run.output === '' ? html`<p class="quiet">${run.nodeId === here ? 'Its output is on its page.' : html`Its output is on <bdi>${run.node}</bdi>.`}</p>`
          : html`<pre class="wide" tabindex="0" aria-label="The end of its output"><bdi>${run.output}</bdi></pre>`}`);
    } catch (error) {
      tell(error.detail ?? error.message, true);
    }
  }
}

/** Closes the dialog that a link is in. */
const close = (event) => event.currentTarget.closest('dialog').dispatchEvent(new Event('cancel', {cancelable: true}));

/** The nodes that are meant, and whether each of them runs it for itself. */
function meant(on) {
  const [, label, all] = /^label:([^,]+)(,all)?$/.exec(on) ?? [];
  return {label, each: all !== undefined || on === 'all'};
}

/** Where it runs, in words. */
function placement(on) {
  const {label, each} = meant(on);
  const among = label === undefined ? nothing : html` with the label <bdi>${label}</bdi>`;
  return each ? html`Every node${among} runs it for itself.` : html`One node${among} runs each period.`;
}

customElements.define('kron-fleet-job', FleetJob);
