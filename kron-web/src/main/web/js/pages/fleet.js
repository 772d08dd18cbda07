import {html, nothing} from 'lit';
import {actAfter} from '../parts/actions.js';
import {mayOperate} from '../parts/authority.js';
import {FleetPage} from '../parts/fleet-page.js';
import '../parts/fleet-picture.js';
import {ADOPT_QUESTION, clipped, clockOffset, fleetEnding, holders, isClockOff, jobLink, jobState, nodeState, releaseQuestion, removeQuestion, reruns} from '../parts/fleet-words.js';
import {get} from '../parts/page.js';
import {api, link, nameOf} from '../parts/routes.js';
import {listed} from '../parts/sentences.js';
import {count, duration, millis, when} from '../parts/times.js';

const JOBS = 200;
const JOBS_AT_ONCE = 1_000;
/** So many runs are drawn: the latest. */
const RUNS = 300;
const HOUR = 3_600_000;

/** The fleet: how this machine stands in it, its nodes, what they ran, and its jobs by node. */
class Fleet extends FleetPage {
  constructor() {
    super();
    this.limit = JOBS;
  }

  async loadFrom({member, database}, signal) {
    if (!member || database === null) {
      const {nodes = [], jobs = [], isMore = false, runs = [], said} = member ? (this.data ?? {}) : {};
      return {nodes, jobs, isMore, runs, said};
    }
    const since = new Date(millis(database.now) - HOUR).toISOString();
    const {nodes} = await get('/v1/fleet/nodes', undefined, signal);
    const jobs = await this.jobs(signal);
    const {runs} = await get('/v1/fleet/runs', {since, limit: RUNS}, signal);
    return {nodes, ...jobs, runs: withLonger(runs, jobs.jobs), said: database.now};
  }

  async jobs(signal) {
    const jobs = [];
    let after;
    do {
      const page = await get('/v1/fleet/jobs', {after, limit: Math.min(JOBS_AT_ONCE, this.limit - jobs.length)}, signal);
      jobs.push(...page.jobs);
      ({after} = page);
    } while (after !== null && jobs.length < this.limit);
    return {jobs, isMore: after !== null};
  }

  view({status, nodes, jobs, isMore, runs, said}) {
    if (!status.member) {
      return html`<h1>Fleet</h1><p class="quiet">This machine is in no fleet: a <code>fleet.toml</code> in its configuration directory makes it a node.</p>`;
    }
    return html`<h1 class="unseen">Fleet</h1>
      ${this.sentence(status, nodes, jobs, said)}
      ${nodes.length === 0 ? nothing : html`
      <section aria-labelledby="fleet-hour"><h2 id="fleet-hour">The last hour</h2>
        <kron-fleet-picture .nodes=${nodes.filter((node) => node.state !== 'removed')} .runs=${runs} .now=${this.now}></kron-fleet-picture></section>
      <section aria-labelledby="fleet-nodes"><h2 id="fleet-nodes">Nodes</h2>${this.nodes(nodes, jobs, status.node.id)}</section>
      <section aria-labelledby="fleet-jobs"><h2 id="fleet-jobs">Jobs</h2>
        ${jobs.length === 0 ? html`<p class="quiet">No node’s files have a job of the fleet: write it into <code>fleet/NAME.kron</code>.</p>` : this.table(jobs, runs, reruns(status))}
        ${isMore ? html`<p class="more"><button type="button" class="link" @click=${this.more}>more</button></p>` : nothing}</section>`}`;
  }

  more() {
    this.limit += JOBS;
    this.reload();
  }

  sentence({node, database, databaseProblem}, nodes, jobs, said) {
    const problems = this.problems(node, databaseProblem, nodes, lost(node, jobs));
    const parts = database === null ? [] : [count(database.liveNodes, 'live node'), count(database.jobs, 'job'), count(database.activeRuns, 'run') + ' going on'];
    if (database?.suspended > 0) {
      parts.push(`${database.suspended} suspended`);
    }
    const stands = {in: 'takes part', out: 'takes no part', 'cut-off': 'is cut off'}[node.state] ?? node.state;
    return html`<div class="health"><p><i class=${problems.length === 0 ? 'good' : 'bad'} aria-hidden="true"></i><strong><bdi>${node.name}</bdi> ${stands}.</strong>
        ${parts.length > 0 ? `${parts.join(', ')}.` : said === undefined ? nothing : html`What follows is what the database said at ${when(said)}.`}
        <span class="quiet">${node.activeRuns === 0 ? 'Nothing of the fleet runs here' : `${count(node.activeRuns, 'run')} here`}${node.owedEnds > 0 ? `, ${count(node.owedEnds, 'end')} still to be told` : ''}; generation ${node.generation}.</span></p>
      ${problems.length === 0 ? nothing : html`<ul class="problems">${problems.map((problem) => html`<li>${problem}</li>`)}</ul>`}</div>`;
  }

  /** Everything that needs attention, what can be done about it beside it. */
  problems(node, databaseProblem, nodes, lostRuns) {
    const problems = [];
    const problem = node.problem ?? databaseProblem;
    if (problem) {
      problems.push(html`<bdi>${problem.replace(/\.$/, '')}</bdi>${node.state === 'cut-off' ? '. Nothing of the fleet is started here meanwhile; what runs goes on.' : nothing}
        ${mayOperate() && node.state === 'out' ? html`<button type="button" class="danger" @click=${() => actAfter(ADOPT_QUESTION, api('fleet', 'adopt'))}>Make it a new node</button>` : nothing}`);
    }
    if (isClockOff(node.aheadMillis)) {
      problems.push(html`This machine’s clock is ${clockOffset(node.aheadMillis)} of the database’s.`);
    }
    for (const {identity, runId, nodeId, since, rerun} of lostRuns) {
      const on = nodes.find((one) => one.id === nodeId)?.name;
      problems.push(html`<a class="plain" href=${link('fleet', identity)}><bdi>${nameOf(identity)}</bdi></a> ${rerun ? 'has' : 'is held by'} a run${on ? html` on <bdi>${on}</bdi>` : nothing} that is lost since ${when(since)}${rerun ? ': another node runs it again.' : '.'}
        ${mayOperate() && !rerun ? html`<button type="button" class="danger" @click=${() => actAfter(releaseQuestion(nameOf(identity), runId, on), api('fleet', 'runs', runId, 'release'))}>Release</button>` : nothing}`);
    }
    if (node.differing.length > 0) {
      problems.push(html`Other files are in force than this node has of <bdi>${listed(node.differing.map(nameOf), 8)}</bdi>.`);
    }
    return problems;
  }

  nodes(nodes, jobs, here) {
    const active = jobs.flatMap((job) => job.rows.map((row) => row.active).filter((run) => run !== null));
    return html`<div class="wide" tabindex="0" role="group" aria-label="Nodes"><table class="runs"><thead><tr><th scope="col">Node</th><th scope="col">State</th><th scope="col">Labels</th><th scope="col">Runs</th>
      <th scope="col">Lease</th><th scope="col">Renewed</th><th scope="col">Clock</th><th scope="col">Version</th><th scope="col">Definitions</th></tr></thead><tbody>${nodes.map((node) => html`<tr>
        <th scope="row" title=${node.id}>${clipped(node.name)}${node.id === here ? html` <small>this one</small>` : nothing}</th>
        <td>${nodeState(node.state)}${node.state === 'lost' && mayOperate() ? html` <button type="button" class="danger" aria-label=${`Remove ${node.name}`}
          @click=${() => actAfter(removeQuestion(node), api('fleet', 'nodes', node.id, 'remove'))}>Remove</button>` : nothing}</td>
        <td>${clipped(node.labels.length === 0 ? '–' : listed(node.labels, 8))}</td>
        <td>${load(node, active.filter((run) => run.nodeId === node.id))}</td>
        <td class="mono">${duration(node.leaseMillis)}</td>
        <td>${node.state === 'removed' ? html`<span class="quiet">–</span>` : this.ago(millis(node.leaseUntil) - node.leaseMillis)}</td>
        <td>${clockOffset(node.aheadMillis)}</td><td class="mono">${clipped(node.version)}</td>
        <td class=${node.differing > 0 ? 't-missed' : 'quiet'}>${node.differing > 0 ? `${count(node.differing, 'differs', 'differ')} from what is in force` : 'as in force'}</td></tr>`)}</tbody></table></div>`;
  }

  table(jobs, runs, runsAgain) {
    const byJob = new Map([...runs].reverse().map((run) => [run.identity, run])); // the latest of each
    return html`<div class="wide" tabindex="0" role="group" aria-label="Jobs"><table class="runs"><thead><tr><th scope="col">Job</th><th scope="col">State</th><th scope="col">On</th><th scope="col">Active, or last</th>
      <th scope="col">Last handled</th><th scope="col">Files</th></tr></thead><tbody>${jobs.map((job) => html`<tr>
        <th scope="row" title=${job.identity}>${jobLink(job.identity, job.name)}</th>
        <td>${jobState(job, runsAgain)}</td><td class="mono">${clipped(job.on)}</td>
        <td>${this.latest(job, byJob.get(job.identity))}</td><td>${when(handled(job))}</td>
        <td class=${job.differing > 0 || job.nodes === 0 ? 't-missed' : 'quiet'}>${holders(job)}</td></tr>`)}</tbody></table></div>`;
  }

  /** The runs that go on, or else the last one: where, and how it stands. */
  latest({rows}, latest) {
    const active = rows.map((row) => row.active).filter((run) => run !== null);
    const [run] = (active.length > 0 ? active : [latest, ...rows.map((row) => row.last)].filter((one) => one))
        .sort((a, b) => millis(b.claimedAt) - millis(a.claimedAt));
    return run === undefined ? html`<span class="quiet">–</span>`
      : html`${fleetEnding(run)} on ${clipped(run.node)}${active.length > 1 ? ` and ${active.length - 1} more` : nothing} <small>${this.ago(run.completedAt ?? run.startedAt ?? run.claimedAt)}</small>`;
  }
}

/** Lost runs: what the database says of the jobs that are shown, and of all others what this node saw last. */
function lost(node, jobs) {
  const shown = new Set(jobs.map(({identity}) => identity));
  const again = reruns({node});
  return [
    ...jobs.flatMap(({rows}) => rows.filter((row) => row.lostSince !== null && row.active !== null)).map(({active, lostSince}) => ({
      identity: active.identity, runId: active.runId, nodeId: active.nodeId, since: lostSince, rerun: again.has(active.runId)})),
    ...node.lost.filter(({identity}) => !shown.has(identity)),
  ];
}

/** What a node runs. */
function load({activeRuns, lostRuns}, runs) {
  const names = runs.map((run) => nameOf(run.identity));
  return html`<span class="mono">${activeRuns}</span>${lostRuns > 0 ? html`, <span class="t-failed">${lostRuns} lost</span>` : nothing}${names.length > 0 ? html` <small>${clipped(listed(names, 3))}</small>` : nothing}`;
}

/** The runs of the last hour, and those that go on from before. */
function withLonger(runs, jobs) {
  const known = new Set(runs.map((run) => run.runId));
  return [...runs, ...jobs.flatMap((job) => job.rows.map((row) => row.active)).filter((run) => run !== null && !known.has(run.runId))];
}

/** The last nominal time that was handled on any node. */
const handled = ({rows}) => rows.map((row) => row.lastNominalTime).filter((time) => time !== null).sort().at(-1);

customElements.define('kron-fleet', Fleet);
