import {html} from 'lit';

/** The seed's symbols of a service's states; the same in the graph, in tables and on the command line. */
export const SYMBOLS = {inactive: '[-]', blocked: '[?]', starting: '[>]', running: '[+]', stopping: '[!]', exited: '[.]', failed: '[X]'};

export const serviceState = (state) => html`<span class="v-${state}"><code>${SYMBOLS[state] ?? '[ ]'}</code> ${state}</span>`;

/** All services that require one, directly or by another: those that a stop takes with it. */
export function dependents(graph, name) {
  const result = new Set();
  const look = [name];
  while (look.length > 0) {
    const one = look.pop();
    for (const service of graph) {
      if (service.requires.includes(one) && service.name !== name && !result.has(service.name)) {
        result.add(service.name);
        look.push(service.name);
      }
    }
  }
  return [...result];
}

/** All services that one requires, directly or by another: those that a start brings up first. */
export function requirements(graph, name) {
  const byName = new Map(graph.map((service) => [service.name, service]));
  const result = new Set();
  const look = [name];
  while (look.length > 0) {
    for (const one of byName.get(look.pop())?.requires ?? []) {
      if (!result.has(one) && one !== name) {
        result.add(one);
        look.push(one);
      }
    }
  }
  return [...result];
}
