import {html, nothing} from 'lit';
import {actAfter, buttons} from '../parts/actions.js';
import {AuthorityController} from '../parts/authority.js';
import {execution} from '../parts/execution.js';
import '../parts/output.js';
import {get, Page} from '../parts/page.js';
import '../parts/restarts.js';
import {api, link} from '../parts/routes.js';
import {listed} from '../parts/sentences.js';
import {dependents, requirements, serviceState} from '../parts/service-words.js';
import {ago, when} from '../parts/times.js';

const SIGNALS = ['HUP', 'USR1', 'USR2', 'INT', 'TERM', 'QUIT', 'KILL'].map((name) => [name, name]);

/** A service: state and why, instances, restarts over time, what it writes. */
class Service extends Page {
  static properties = {instance: {state: true}};

  constructor() {
    super();
    this.instance = undefined;
    this.authority = new AuthorityController(this);
  }

  async load(signal) {
    const {name} = this.params;
    const [service, {services}, history] = await Promise.all([
      get(api('services', name), undefined, signal), get('/v1/graph', undefined, signal),
      get(api('services', name, 'history'), undefined, signal).catch(() => ({events: []})),
    ]);
    return {service, graph: services, history, asOf: history.asOf};
  }

  concerns({component}) {
    return ['service', 'config', 'control', 'daemon'].includes(component);
  }

  moved() {
    this.instance = undefined;
    super.moved();
  }

  view({service, graph, history}) {
    const {entry, instances} = service;
    const number = this.instance ?? 0;
    return html`
      <div><div class="title"><h1><bdi>${service.name}</bdi></h1><span class="quiet"><bdi>${service.inFile ? entry.file : 'in no file any more'}</bdi></span></div>
        ${service.description ? html`<p class="lead"><bdi>${service.description}</bdi></p>` : nothing}
        <p class="lead">${serviceState(service.state)}, wanted ${service.wanted}${why(instances)}.
          ${entry.requires.length > 0 ? html`It requires ${links(entry.requires)}. ` : nothing}${dependents(graph, service.name).length > 0
            ? html`${links(dependents(graph, service.name))} ${dependents(graph, service.name).length === 1 ? 'requires' : 'require'} it.` : nothing}</p></div>
      ${this.buttons(service, graph)}
      <section aria-labelledby="service-instances"><h2 id="service-instances">Instances</h2>${table(instances)}</section>
      <section aria-labelledby="service-time"><h2 id="service-time">Over time</h2><kron-restarts .events=${history.events}></kron-restarts>
        ${checks(history.events)}</section>
      <section aria-label="Output"><h2>Output</h2>
        ${instances.length < 2 ? nothing : html`<div class="segments" role="group" aria-label="Instance">${instances.map((one, i) =>
          html`<button type="button" aria-pressed=${i === number} @click=${() => (this.instance = i)}><bdi>${one.instance}</bdi></button>`)}</div>`}
        <kron-output .path=${api('services', service.name, 'logs')} .query=${instances.length < 2 ? {} : {instance: instanceNumber(instances[number].instance, number)}} .name=${instances[number]?.instance ?? service.name}></kron-output></section>
      <section aria-labelledby="service-executed"><h2 id="service-executed">What will be executed</h2>${execution(service.execution)}</section>`;
  }

  buttons(service, graph) {
    const {name} = service;
    const path = (tail) => api('services', name, tail);
    const below = dependents(graph, name);
    const affected = below.filter((one) => graph.find((other) => other.name === one)?.wanted === 'up');
    const needs = requirements(graph, name).filter((one) => graph.find((other) => other.name === one)?.state !== 'running');
    const isUp = service.wanted === 'up';
    const too = affected.length === 0 ? ['Nothing else is affected: no service that is wanted up requires it.'] : [`${listed(affected, 8)} ${affected.length === 1 ? 'requires it and is' : 'require it and are'} stopped first.`];
    return buttons([
      ['Start', () => actAfter({title: `Start ${name}?`, act: 'Start', sentences: [needs.length === 0 ? 'What it requires is up. It will be started after every boot, too.' : `${listed(needs, 8)} will be started first. All of it will be started after every boot, too.`]}, path('start')), {off: isUp && !['failed', 'exited'].includes(service.state) && 'it is wanted up already'}],
      ['Restart', () => actAfter({title: `Restart ${name}?`, act: 'Restart', danger: true, sentences: ['Its processes are ended, and new ones are started by what its file says now.', affected.length === 0 ? 'Nothing else is affected.' : `${listed(affected, 8)} ${affected.length === 1 ? 'requires' : 'require'} it, and ${affected.length === 1 ? 'is' : 'are'} restarted with it.`]}, path('restart')), {off: !isUp && 'it is not wanted up'}],
      ['Stop', () => actAfter({title: `Stop ${name}?`, act: 'Stop', danger: true, sentences: [...too, 'They stay down, also after a boot, until somebody starts them.']}, path('stop')), {danger: true, off: !isUp && 'it is not wanted up'}],
      ['Signal', () => actAfter({title: `Send a signal to ${name}?`, act: 'Send', danger: true, sentences: ['All its process groups receive it. What ends by it is started again by its restart policy.'], choices: {label: 'Signal', values: SIGNALS}}, path('signal'), (signal) => ({signal})), {off: !service.instances.some((one) => one.pid) && 'it has no process'}],
    ]);
  }
}

const instanceNumber = (name, place) => (/@(\d+)$/.exec(name)?.[1] ?? place);

const links = (names) => names.map((name, i) => html`${i === 0 ? '' : i === names.length - 1 ? ' and ' : ', '}<a href=${link('service', name)}><bdi>${name}</bdi></a>`);

/** Why it is in its state, where an instance knows. */
function why(instances) {
  const reason = instances.find((one) => one.reason)?.reason;
  const waits = instances.flatMap((one) => one.waitingOn);
  return reason ? html`: <bdi>${reason}</bdi>` : waits.length > 0 ? `: waits for ${listed([...new Set(waits)])}` : nothing;
}

const table = (instances) => html`<div class="wide" tabindex="0" role="group" aria-label="Instances"><table class="runs"><thead><tr><th scope="col">Instance</th><th scope="col">State</th><th scope="col">Since</th><th scope="col">Pid</th>
  <th scope="col" class="number">Restarts</th><th scope="col">Last exit</th><th scope="col">Why</th></tr></thead><tbody>${instances.map((one) => html`<tr>
    <th scope="row"><bdi>${one.instance}</bdi></th><td>${serviceState(one.state)}</td><td>${one.since ? html`${when(one.since)} <small>${ago(one.since)}</small>` : nothing}</td><td class="mono">${one.pid ?? ''}</td>
    <td class="mono number">${one.restartsTotal}${one.restartsLastDay > 0 ? ` (${one.restartsLastDay} today)` : ''}</td>
    <td>${one.lastExit ? html`<bdi>${one.lastExit}</bdi> <small>${ago(one.lastExitAt)}</small>` : nothing}</td>
    <td class="quiet"><bdi>${[one.reason, one.waitingOn.length > 0 ? `waits for ${listed(one.waitingOn)}` : '', one.conflictsWith.length > 0 ? `conflicts with ${listed(one.conflictsWith)}` : '', one.restarting ? 'will be started again' : '', one.outdated ? 'not what its file says by now: restart it' : ''].filter((text) => text).join(' · ')}</bdi></td></tr>`)}</tbody></table></div>`;

/** The health checks that failed lately. */
function checks(events) {
  const failed = events.filter((event) => event.what === 'health_check_failed').slice(0, 5);
  return failed.length === 0 ? nothing : html`<h2>Health checks that failed</h2><table class="facts"><tbody>${failed.map((event) =>
    html`<tr><th scope="row"><bdi>${event.reason ?? ''}</bdi></th><td>${event.instance}</td><td>${when(event.at)}</td></tr>`)}</tbody></table>`;
}

customElements.define('kron-service', Service);
