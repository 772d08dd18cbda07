/** What pages know of the daemon: requests, streams, and events as they happen. */

/** A refusal, as the API words it; status 0: the daemon could not be reached. */
export class ApiError extends Error {
  constructor({status, title, detail}) {
    super(detail ?? title);
    Object.assign(this, {status, title, detail});
  }
}

const address = (path, query = {}) => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};

async function call(method, path, {query, signal} = {}) {
  let response;
  try {
    response = await fetch(address(path, query), {method, signal});
  } catch (error) {
    if (error.name === 'AbortError') {
      throw error;
    }
    throw new ApiError({status: 0, title: 'away', detail: 'the daemon does not answer'});
  }
  if (!response.ok) {
    throw new ApiError(await response.json().catch(() => ({status: response.status, detail: response.statusText})));
  }
  return response;
}

export async function request(method, path, options) {
  return (await call(method, path, options)).json();
}

export async function* follow(path, options) {
  const reader = (await call('GET', path, options)).body.getReader();
  for (let {done, value} = await reader.read(); !done; {done, value} = await reader.read()) {
    yield value;
  }
}

const listeners = new Set();
let source;

export function subscribe(listener) {
  listeners.add(listener);
  source ??= listen();
  return () => listeners.delete(listener);
}

const tell = (message) => listeners.forEach((listener) => listener(message));

function listen() {
  const events = new EventSource('/v1/events');
  let away;
  events.onmessage = ({data}) => tell({type: 'event', event: JSON.parse(data)});
  events.addEventListener('lost', () => tell({type: 'gap'}));
  events.onerror = () => {
    away ??= Date.now();
    tell({type: 'away', since: away});
  };
  events.onopen = () => {
    if (away !== undefined) {
      away = undefined;
      tell({type: 'back'});
    }
  };
  return events;
}

export const whoami = () => request('GET', '/v1/dashboard/session');
