import {html, nothing} from 'lit';
import {listKeys, sortable} from '../parts/list-keys.js';
import {ending, outcome, outcomeOf, trend} from '../parts/outcomes.js';
import {get, Page} from '../parts/page.js';
import {fileOf, go, link} from '../parts/routes.js';
import {ago, count, duration, millis, ordinal, relative, ticks, when} from '../parts/times.js';
import {WindowedRows} from '../parts/windowed.js';

const COLUMNS = [
  ['name', 'Job', 'c-name'], ['state', 'State', 'c-state'], [undefined, 'Schedule', 'c-schedule'], ['last', 'Last', 'c-last'],
  [undefined, 'Trend', 'c-trend'], ['duration', 'Took', 'c-took'], ['next', 'Next', 'c-next'],
];

const STATES = [['', 'in any state'], ['running', 'running'], ['ready', 'ready'], ['suspended', 'suspended'], ['retrying', 'retrying'], ['held', 'held'], ['gone', 'gone']];
const LASTS = [['', 'however it ended'], ['failing', 'failed, not succeeded since'], ['succeeded', 'succeeded'], ['failed', 'failed'], ['timed_out', 'timed out'],
  ['missed', 'missed'], ['skipped', 'skipped'], ['stopped', 'stopped'], ['unknown', 'unknown']];

/** All jobs, filtered, sorted and paged by the daemon. */
class Jobs extends Page {
  constructor() {
    super();
    this.rows = new WindowedRows(this, {
      rowHeight: 36,
      fetch: async (offset, limit, signal) => {
        const {filter, state, last, group, sort, order} = this.query;
        const answer = await get('/v1/jobs', {filter, state, last, group, sort: sort ?? 'name', order, offset, limit}, signal);
        return {...answer, rows: answer.jobs};
      },
    });
  }

  get query() {
    return this.params.query ?? {};
  }

  load(signal) {
    return this.rows.load(signal);
  }

  concerns({component}) {
    return ['job', 'config', 'control', 'daemon'].includes(component);
  }

  moved() {
    this.rows.reset();
    this.reload();
  }

  change(query) {
    go(link('jobs', undefined, {...this.query, ...query}), true);
  }

  view() {
    const {query} = this;
    const {matched, total} = this.rows;
    const choice = (name, values, text) => html`<select aria-label=${text} @change=${(e) => this.change({[name]: e.target.value})}>${values.map(([value, word]) =>
      html`<option value=${value} ?selected=${(query[name] ?? '') === value}>${word}</option>`)}</select>`;
    return html`
      <div class="controls"><h1>Jobs</h1>
        <input type="search" aria-label="Filter jobs" placeholder="filter" maxlength="200" .value=${query.filter ?? ''} @input=${(e) => this.change({filter: e.target.value})}>
        ${choice('state', STATES, 'State')}${choice('last', LASTS, 'Last result')}
        ${query.group ? html`<button type="button" @click=${() => this.change({group: undefined})}>only <bdi>${query.group}</bdi> ✕</button>` : nothing}
        <p class="quiet extent" role="status">${matched === total ? count(total, 'job') : `${matched.toLocaleString('en')} of ${count(total, 'job')}`}</p></div>
      ${total === 0 ? html`<p class="quiet">There are no jobs yet. <code>kron init</code> makes a directory with an example.</p>`
        : matched === 0 ? html`<p class="quiet">None is like that.</p>` : html`
      <div class="list jobs" role="table" aria-label="Jobs" aria-rowcount=${matched + 1} @keydown=${listKeys}>
        <div role="rowgroup">${sortable(html, COLUMNS, query, (to) => this.change(to))}</div>
        ${this.rows.render(row)}</div>`}`;
  }
}

/** What a job is about, beside being ready. */
function state(job) {
  const words = {running: 'running', suspended: 'suspended', retrying: job.retryAttempt ? `${ordinal(job.retryAttempt)} attempt waits` : 'retrying', held: 'held', gone: 'in no file'};
  return words[job.state] === undefined ? html`<span class="quiet">ready</span>`
    : job.state === 'running' ? outcome('running', job.activeRuns > 1 ? `running, ${job.activeRuns}` : 'running') : html`<span class="state-${job.state}">${words[job.state]}</span>`;
}

const took = ({startedAt, completedAt}) => (startedAt && completedAt ? duration(millis(completedAt) - millis(startedAt)) : '');

const row = (job, i, place) => html`<div class="row" role="row" aria-rowindex=${i + 2} .style=${place}>
  <span role="cell" class="c-name"><a class="plain" href=${link('job', job.identity)} title=${job.identity}><bdi>${job.name}</bdi></a> <small>${fileOf(job.identity).split('/').pop()}</small></span>
  <span role="cell" class="c-state">${state(job)}</span>
  <span role="cell" class="c-schedule mono" title=${job.schedule ?? ''}><bdi>${job.schedule ?? '–'}</bdi></span>
  <span role="cell" class="c-last">${job.last ? html`${outcome(outcomeOf(job.last), ending(job.last))} <small>${ago(job.last.completedAt ?? job.last.chosenTime ?? job.last.nominalTime)}</small>` : html`<span class="quiet">–</span>`}</span>
  <span role="cell" class="c-trend">${trend(job.trend)}</span>
  <span role="cell" class="c-took mono">${job.last ? took(job.last) : ''}</span>
  <span role="cell" class="c-next">${job.nextDue ? html`${when(job.nextDue)} <small>${ticks(() => relative(job.nextDue))}</small>` : html`<span class="quiet">–</span>`}</span></div>`;

customElements.define('kron-jobs', Jobs);
