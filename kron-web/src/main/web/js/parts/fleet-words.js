import {html, nothing} from 'lit';
import {ending, OUTCOMES, outcome} from './outcomes.js';
import {link} from './routes.js';
import {count, duration, ordinal} from './times.js';

/** By more than this a machine's clock is worth a colour; the command line says the same. */
const CLOCK_MILLIS = 2_000;

const NODES = {live: ['[+]', 'running'], lost: ['[X]', 'failed'], removed: ['[-]', 'inactive']};

/** The state of a node, with the symbols and colours of services. */
export function nodeState(state) {
  const [symbol, like] = Object.hasOwn(NODES, state) ? NODES[state] : ['[?]', 'blocked'];
  return html`<span class="v-${like}"><code>${symbol}</code> ${state}</span>`;
}

const JOBS = {suspended: 'suspended', nowhere: 'no living node has it', retrying: 'another attempt waits'};

/** The lost runs that another node runs again, as far as this node knows: all others hold their jobs. */
export const reruns = ({node}) => new Set((node?.lost ?? []).filter(({rerun}) => rerun).map(({runId}) => runId));

/** The state of a job in the whole fleet. */
export function jobState(job, runsAgain) {
  if (job.state === 'running') {
    return outcome('running');
  }
  if (job.state === 'held') {
    return html`<span class="state-held">${job.rows.every((row) => row.lostSince === null || runsAgain.has(row.active?.runId)) ? 'lost, will run again' : 'held by a lost run'}</span>${job.suspended ? ', suspended' : nothing}`;
  }
  return Object.hasOwn(JOBS, job.state) ? html`<span class="state-${job.state}">${JOBS[job.state]}</span>` : html`<span class="quiet">ready</span>`;
}

/** The outcome of a run on any node, in the words of the pictures: nobody knows the end of a lost one. */
export function fleetOutcome({state, outcome: word}) {
  if (state === 'running') {
    return 'running';
  }
  const known = word === 'success' ? 'succeeded' : word === 'replaced' ? 'stopped' : word;
  return state === 'ended' && OUTCOMES.includes(known) ? known : 'unknown';
}

/** How a run on any node ended, or how far it is. */
export function fleetEnding(run) {
  const word = fleetOutcome(run);
  return run.state === 'ended' && run.exitCode === null && ['succeeded', 'failed', 'unknown'].includes(word) ? outcome(word)
    : outcome(word, run.state === 'ended' ? ending({outcome: word, exitCode: run.exitCode}) : run.state);
}

const KINDS = {trigger: 'by hand', chain: 'in a chain', rerun: 'instead of a lost run'};

/** Why there is a run, and what is to be known of it. */
export const remarks = (run) => [
  Object.hasOwn(KINDS, run.kind) ? KINDS[run.kind] : '', run.attempt > 1 ? `${ordinal(run.attempt)} attempt` : '',
  run.overlap ? 'went on after it was released: runs overlap' : '', run.reason,
].filter((text) => text).join(' · ');

/** A node's clock against the database's. */
export const clockOffset = (ahead) => {
  const text = ahead === 0 ? 'the same' : `${duration(Math.abs(ahead))} ${ahead > 0 ? 'ahead' : 'behind'}`;
  return Math.abs(ahead) > CLOCK_MILLIS ? html`<span class="t-missed">${text}</span>` : text;
};

export const isClockOff = (ahead) => Math.abs(ahead) > CLOCK_MILLIS;

/** How many living nodes have a job in their files, and how many of them otherwise than it is in force. */
export const holders = ({nodes, differing}) => (nodes === 0 ? 'in no living node’s files'
  : `${count(nodes, 'node')}${differing === 0 ? '' : `, ${differing} with another definition`}`);

/** A job's page in the fleet. */
export const jobLink = (identity, name) => html`<a class="plain" href=${link('fleet', identity)}>${clipped(name)}</a>`;

/** A word that leaves room for the others, however long it is. */
export const clipped = (text) => html`<bdi class="clip" title=${text}>${text}</bdi>`;

/** The question before a lost run is released, and the request that follows it. */
export const releaseQuestion = (name, run, node) => ({
  title: `Release the lost run of ${name}?`, act: 'Release', danger: true, sentences: [
    `Nobody knows whether run ${run} goes on${node ? ` on ${node}` : ''}. Released, it holds its job no longer and is never run again; the next periods run as ever.`,
    'If it does go on, a later run may overlap with it. That is shown when its node is back.'],
});

/** The question before a node is removed for ever. */
export const removeQuestion = ({name, id, activeRuns, lostRuns}) => ({
  title: `Remove ${name} from the fleet?`, act: 'Remove', danger: true, sentences: [
    `This says that its machine is off for good. ${activeRuns + lostRuns === 0 ? 'Nothing runs on it as far as is known' : `Its runs (${activeRuns + lostRuns}) hold their jobs no longer and are never run again`}.`,
    `It is never let in again under its UUID, ${id}; its machine can come back as a new node.`],
});

/** The question before this machine becomes another node. */
export const ADOPT_QUESTION = {
  title: 'Make this machine a new node?', act: 'Make it a new node', danger: true, sentences: [
    'It takes part again, under a UUID of its own. Do it where its state directory was copied or put back from a backup, or after the node was removed.',
    'What the old node ran belongs to the old one: this machine settles none of it.'],
};
