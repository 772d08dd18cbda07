import {html, nothing} from 'lit';
import '../parts/graph.js';
import {listKeys, sortable} from '../parts/list-keys.js';
import {get, Page} from '../parts/page.js';
import {go, link} from '../parts/routes.js';
import {serviceState, SYMBOLS} from '../parts/service-words.js';
import {ago, count} from '../parts/times.js';
import {WindowedRows} from '../parts/windowed.js';

const COLUMNS = [['name', 'Service', 'c-name'], ['state', 'State', 'c-state'], [undefined, 'Wanted', 'c-wanted'], [undefined, 'Since', 'c-since'],
  [undefined, 'Pid', 'c-pid'], ['restarts', 'Restarts', 'c-restarts'], [undefined, 'Last exit, and why', 'c-why']];

const STATES = [['', 'in any state'], ['troubled', 'troubled'], ['wanted', 'wanted up'], ...Object.keys(SYMBOLS).map((state) => [state, state])];

/** All services: the graph, live, and a table. */
class Services extends Page {
  constructor() {
    super();
    this.rows = new WindowedRows(this, {
      rowHeight: 36,
      fetch: async (offset, limit, signal) => {
        const {filter, state, sort, order} = this.query;
        const answer = await get('/v1/services', {filter, state, sort: sort ?? 'name', order, offset, limit}, signal);
        return {...answer, rows: answer.services};
      },
    });
  }

  get query() {
    return this.params.query ?? {};
  }

  async load(signal) {
    const [graph, answer] = await Promise.all([get('/v1/graph', undefined, signal), this.rows.load(signal)]);
    return {graph: graph.services, asOf: answer.asOf};
  }

  concerns({component}) {
    return ['service', 'config', 'control', 'daemon'].includes(component);
  }

  moved() {
    this.rows.reset();
    this.reload();
  }

  change(query) {
    go(link('services', undefined, {...this.query, ...query}), true);
  }

  view({graph}) {
    const {matched, total} = this.rows;
    const {query} = this;
    if (graph.length === 0) {
      return html`<h1>Services</h1><p class="quiet">There are none yet. A service is a TOML file beside the jobs, with <code>[service]</code> and <code>exec = "…"</code> in it.</p>`;
    }
    return html`<h1>Services</h1>
      <section aria-label="Graph"><kron-graph .services=${graph}></kron-graph>
        <p class="legend" aria-hidden="true">${Object.entries(SYMBOLS).map(([state, symbol]) => html`<span class="v-${state}"><code>${symbol}</code> ${state}</span>`)}
          <span><i class="edge-key"></i>requires</span><span><i class="edge-key dashed"></i>wants</span><span><i class="edge-key dotted"></i>after</span></p></section>
      <div class="controls"><input type="search" aria-label="Filter services" placeholder="filter" maxlength="200" .value=${query.filter ?? ''} @input=${(e) => this.change({filter: e.target.value})}>
        <select aria-label="State" @change=${(e) => this.change({state: e.target.value})}>${STATES.map(([value, word]) => html`<option value=${value} ?selected=${(query.state ?? '') === value}>${word}</option>`)}</select>
        <p class="quiet extent" role="status">${matched === total ? count(total, 'service') : `${matched.toLocaleString('en')} of ${count(total, 'service')}`}</p></div>
      ${matched === 0 ? html`<p class="quiet">None is like that.</p>` : html`
      <div class="list services" role="table" aria-label="Services" aria-rowcount=${matched + 1} @keydown=${listKeys}>
        <div role="rowgroup">${sortable(html, COLUMNS, query, (to) => this.change(to))}</div>${this.rows.render(row)}</div>`}`;
  }
}

const sum = (instances, key) => instances.reduce((total, one) => total + (one[key] ?? 0), 0);

function row(service, i, place) {
  const {instances} = service;
  const worst = instances.find((one) => one.state === service.state) ?? instances[0];
  const up = instances.filter((one) => one.state === 'running').length;
  const lastExit = instances.find((one) => one.lastExit)?.lastExit;
  const exit = worst?.reason?.startsWith(lastExit) ? undefined : lastExit;
  return html`<div class="row" role="row" aria-rowindex=${i + 2} .style=${place}>
    <span role="cell" class="c-name"><a class="plain" href=${link('service', service.name)}><bdi>${service.name}</bdi></a>${instances.length > 1 ? html` <small>${up} of ${instances.length} up</small>` : nothing}</span>
    <span role="cell" class="c-state">${serviceState(service.state)}</span>
    <span role="cell" class="c-wanted quiet">${service.wanted}</span>
    <span role="cell" class="c-since">${worst?.since ? ago(worst.since) : nothing}</span>
    <span role="cell" class="c-pid mono">${instances.map((one) => one.pid).filter((pid) => pid).slice(0, 3).join(' ')}</span>
    <span role="cell" class="c-restarts mono">${sum(instances, 'restartsTotal')}${sum(instances, 'restartsLastDay') > 0 ? html` <small>${sum(instances, 'restartsLastDay')} today</small>` : nothing}</span>
    <span role="cell" class="c-why quiet"><bdi>${[exit, worst?.reason, instances.some((one) => one.outdated) ? 'not what its file says by now' : undefined].filter((text) => text).join(' · ')}</bdi></span></div>`;
}

customElements.define('kron-services', Services);
