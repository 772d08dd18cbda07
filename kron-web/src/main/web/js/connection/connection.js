import {listenTogether} from './leader.js';
import {EndedError, forget, isNew, signedFetch} from './session.js';

/** What pages know of the daemon: requests, streams, and events as they happen. */

/** Streams of all pages of a browser, beside that of events: it has six connections to an origin. */
const STREAMS = 3;

/** A refusal, as the API words it; status 0: the daemon could not be reached. */
export class ApiError extends Error {
  constructor({status, title, detail, details}) {
    super(detail ?? title);
    Object.assign(this, {status, title, detail, details});
  }
}

const address = (path, query = {}) => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
};

async function call(method, path, {query, signal} = {}) {
  let response;
  try {
    response = await signedFetch(method, address(path, query), signal);
  } catch (error) {
    if (error instanceof EndedError) {
      tell({type: 'ended', why: error.message});
      throw new ApiError({status: 401, title: 'ended', detail: error.message});
    }
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

/** The answer to a request, parsed. */
export async function request(method, path, options) {
  return (await call(method, path, options)).json();
}

/** Takes a lock, and gives back what releases it; undefined where it is not free. */
const hold = (name, options) => new Promise((resolve, reject) => {
  navigator.locks
      .request(name, options, (lock) => lock ? new Promise((release) => resolve(release)) : resolve(undefined))
      .catch(reject);
});

/** A place for a stream, as soon as one is free in this browser. */
async function place(signal) {
  if (navigator.locks === undefined) {
    return () => {};
  }
  for (let i = 0; i < STREAMS; i++) {
    const release = await hold(`kron-stream-${i}`, {ifAvailable: true});
    if (release !== undefined) {
      return release;
    }
  }
  return hold('kron-stream-0', signal === undefined ? {} : {signal});
}

/** The bytes of an answer that goes on, as they come. */
export async function* follow(path, options) {
  const release = await place(options?.signal);
  try {
    const reader = (await call('GET', path, options)).body.getReader();
    try {
      for (let {done, value} = await reader.read(); !done; {done, value} = await reader.read()) {
        yield value;
      }
    } finally {
      reader.cancel().catch(() => {});
    }
  } finally {
    release();
  }
}

const listeners = new Set();
let listening = false;

/** Tells of events, and of the connection itself; returns what ends that. */
export function subscribe(listener) {
  listeners.add(listener);
  if (!listening) {
    listening = true;
    listen();
  }
  return () => listeners.delete(listener);
}

function tell(message) {
  if (message.type === 'back') {
    forget(); // it may be another daemon, which knows nothing of what was signed for the one before
  }
  listeners.forEach((listener) => listener(message));
}

function listen() {
  // Whatever is told first tells of this session, not of the one before it.
  const arrived = isNew ? request('GET', '/v1/version').catch(() => {}).then(() => true) : Promise.resolve(false);
  if (typeof SharedWorker === 'undefined') {
    listenTogether(tell, arrived);
    return;
  }
  const script = String(new URL('./hub-worker.js', import.meta.url));
  const policy = globalThis.trustedTypes?.createPolicy('kron', {createScriptURL: () => script});
  const {port} = new SharedWorker(
      policy?.createScriptURL('') ?? script, {type: 'module', name: 'kron'});
  port.onmessage = ({data}) => tell(data);
  const begin = () => port.postMessage('listen');
  arrived.then((renewed) => {
    if (renewed) {
      port.postMessage('renew');
    }
    begin();
  });
  addEventListener('pagehide', () => port.postMessage('leave'));
  addEventListener('pageshow', ({persisted}) => {
    if (persisted) {
      begin();
      tell({type: 'gap'});
    }
  });
}

/** Ends all sessions of whoever this is, this one among them. */
export async function signOut() {
  await call('DELETE', '/session');
  tell({type: 'ended', why: 'you have signed out'});
}

/** Who this is, and where. */
export const whoami = () => request('GET', '/v1/whoami');
