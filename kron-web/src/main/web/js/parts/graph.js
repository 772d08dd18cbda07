import {html, nothing, svg} from 'lit';
import {KronElement} from './element.js';
import {go, link} from './routes.js';
import {listed} from './sentences.js';
import {dependents, requirements, SYMBOLS} from './service-words.js';
import {count} from './times.js';
import {Width} from './width.js';

const TALL = 28;
const GAP = 12;
const WIDE = 168;
const BETWEEN = 64;
const SWEEPS = 4;

/** What stands before a service: what it requires, wants or comes after. */
const before = (service) => [...new Set([...service.requires, ...service.wants, ...service.after])];

/** The column of each service: behind everything that it needs; services in a circle stay where they are met. */
function ranks(services) {
  const byName = new Map(services.map((service) => [service.name, service]));
  const rank = new Map();
  const visit = (service, path) => {
    if (rank.has(service.name) || path.has(service.name)) {
      return rank.get(service.name) ?? 0;
    }
    path.add(service.name);
    const own = Math.max(-1, ...before(service).filter((name) => byName.has(name)).map((name) => visit(byName.get(name), path))) + 1;
    path.delete(service.name);
    rank.set(service.name, own);
    return own;
  };
  services.forEach((service) => visit(service, new Set()));
  return rank;
}

/** Services that hang together, the largest groups first. */
function groups(services) {
  const byName = new Map(services.map((service) => [service.name, service]));
  const neighbours = new Map(services.map((service) => [service.name, new Set()]));
  for (const service of services) {
    for (const name of [...before(service), ...service.conflicts]) {
      neighbours.get(name)?.add(service.name);
      neighbours.get(service.name).add(name);
    }
  }
  const seen = new Set();
  const result = [];
  for (const {name} of services) {
    const group = [];
    const look = seen.has(name) ? [] : [name];
    while (look.length > 0) {
      const one = look.pop();
      if (!seen.has(one) && byName.has(one)) {
        seen.add(one);
        group.push(byName.get(one));
        look.push(...neighbours.get(one));
      }
    }
    if (group.length > 0) {
      result.push(group);
    }
  }
  return result.sort((a, b) => b.length - a.length);
}

/** A group in columns, with few crossings: its places, how wide and how high it is. */
function arranged(services) {
  const rank = ranks(services);
  const columns = [];
  for (const service of services) {
    (columns[rank.get(service.name)] ??= []).push(service);
  }
  const order = new Map();
  const number = (column) => column.forEach((service, i) => order.set(service.name, i));
  columns.forEach(number);
  const after = new Map(services.map((service) => [service.name, []]));
  services.forEach((service) => before(service).forEach((name) => after.get(name)?.push(service.name)));
  const middle = (names, own) => {
    const known = names.filter((name) => order.has(name)).map((name) => order.get(name));
    return known.length === 0 ? own : known.reduce((sum, value) => sum + value, 0) / known.length;
  };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 === 0 ? columns : [...columns].reverse()) {
      const key = new Map(column.map((service) => [service.name, middle(sweep % 2 === 0 ? before(service) : after.get(service.name), order.get(service.name))]));
      column.sort((a, b) => key.get(a.name) - key.get(b.name));
      number(column);
    }
  }
  const tallest = Math.max(...columns.map((column) => column.length));
  const places = columns.flatMap((column, c) => column.map((service, i) => [service.name, {
    x: c * (WIDE + BETWEEN), y: ((tallest - column.length) * (TALL + GAP)) / 2 + i * (TALL + GAP),
  }]));
  return {places, width: columns.length * (WIDE + BETWEEN) - BETWEEN, height: tallest * (TALL + GAP)};
}

/** Places for all services: groups side by side, as many as there is room for, then the next shelf. */
function place(services, width) {
  const places = new Map();
  let [x, y, shelf, widest] = [0, 4, 0, 0];
  for (const group of groups(services).map(arranged)) {
    if (x > 0 && x + group.width > width) {
      x = 0;
      y += shelf;
      shelf = 0;
    }
    group.places.forEach(([name, at]) => places.set(name, {x: x + at.x, y: y + at.y}));
    x += group.width + (group.width > WIDE ? BETWEEN : GAP * 2);
    widest = Math.max(widest, x);
    shelf = Math.max(shelf, group.height + (group.height > TALL + GAP ? GAP : 0));
  }
  return {places, width: widest + 2, height: y + shelf + 4};
}

/** The graph as a sentence. */
function describeGraph(services) {
  const states = {};
  services.forEach(({state}) => (states[state] = (states[state] ?? 0) + 1));
  const needs = services.filter((service) => service.requires.length > 0).map((service) => `${service.name} requires ${listed(service.requires)}`);
  return `${count(services.length, 'service')}: ${listed(Object.entries(states).map(([state, number]) => `${number} ${state}`), 8)}. ${needs.length === 0 ? 'None requires another.' : `${needs.slice(0, 12).join('; ')}.`}`;
}

/** The graph of services: what each requires stands on its left. Pointing at one shows what it hangs on, and what hangs on it. */
class Graph extends KronElement {
  static properties = {services: {attribute: false}, near: {state: true}};

  constructor() {
    super();
    this.services = [];
    this.near = undefined;
    this.width = new Width(this);
  }

  willUpdate() {
    const key = this.width.value + JSON.stringify(this.services.map(({name, requires, wants, after, conflicts}) => [name, requires, wants, after, conflicts]));
    if (key !== this.key) {
      this.key = key;
      this.layout = place(this.services, this.width.value);
    }
    this.close = this.near === undefined ? undefined : new Set([this.near, ...dependents(this.services, this.near), ...requirements(this.services, this.near)]);
  }

  render() {
    const {places, width, height} = this.layout;
    return html`<div class="wide graph-place" tabindex=${height > 600 ? 0 : nothing}><svg class="graph" width=${width} height=${height} role="group" aria-label=${describeGraph(this.services)}>
      ${this.services.flatMap((service) => ['after', 'wants', 'requires', 'conflicts'].flatMap((kind) => service[kind].map((name) => this.edge(places.get(name), places.get(service.name), kind, [name, service.name]))))}
      ${this.services.map((service) => this.node(service, places.get(service.name)))}</svg></div>`;
  }

  edge(from, to, kind, ends) {
    if (from === undefined || to === undefined) {
      return nothing;
    }
    const isFar = this.close !== undefined && !ends.every((name) => this.close.has(name));
    const [x0, y0, x1, y1] = [from.x + WIDE, from.y + TALL / 2, to.x, to.y + TALL / 2];
    const bend = Math.max(24, (x1 - x0) / 2);
    const line = kind === 'conflicts' ? `M${from.x + WIDE / 2} ${from.y + TALL}L${to.x + WIDE / 2} ${to.y}` : `M${x0} ${y0}C${x0 + bend} ${y0} ${x1 - bend} ${y1} ${x1} ${y1}`;
    return svg`<path class="edge e-${kind} ${isFar ? 'far' : ''}" d=${line} />${kind === 'requires' ? svg`<path class="tip-of ${isFar ? 'far' : ''}" d="M${x1} ${y1}l-7-3.5v7z" />` : nothing}`;
  }

  node({name, state, wanted}, at) {
    const isFar = this.close !== undefined && !this.close.has(name);
    const text = name.length > 17 ? `${name.slice(0, 16)}…` : name;
    return svg`<a class="node v-${state} ${isFar ? 'far' : ''} ${wanted === 'down' ? 'unwanted' : ''}" href=${link('service', name)} aria-label=${`${name}, ${state}${wanted === 'down' ? ', not wanted up' : ''}`}
        transform="translate(${at.x + 1} ${at.y})" @pointerenter=${() => (this.near = name)} @pointerleave=${() => (this.near = undefined)} @focus=${() => (this.near = name)} @blur=${() => (this.near = undefined)}
        @click=${(e) => (e.preventDefault(), go(link('service', name)))}>
      <rect width=${WIDE} height=${TALL} rx="4" /><text class="symbol" x="9" y="18">${SYMBOLS[state] ?? '[ ]'}</text><text class="name" x="36" y="18.5">${text}</text><title>${name}</title></a>`;
  }
}

customElements.define('kron-graph', Graph);
