/**
 * This browser's session with the daemon. Its key never leaves the browser, and cannot even be read
 * by this page: it is kept where only this origin finds it, and signs every request.
 */

const STORE = 'session';
const CURRENT = 'current';
const LINK = '#link=';

/** There is no session, or none any more; the message says why. */
export class EndedError extends Error {}

const bytes = new TextEncoder();
const inPage = typeof document !== 'undefined';

/** Who counts requests: this page, or this worker. */
const client = word(crypto.getRandomValues(new Uint8Array(12)));
let number = 0;

/** What signatures begin with, and the server's time less our own; undefined: ask for it. */
let challenge;
let session;

function word(array) {
  return btoa(String.fromCharCode(...new Uint8Array(array)))
      .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function settled(call) {
  return new Promise((resolve, reject) => {
    call.onsuccess = () => resolve(call.result);
    call.onerror = () => reject(call.error);
  });
}

async function store(mode, use) {
  const opening = indexedDB.open('kron', 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await settled(opening);
  try {
    return await settled(use(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

/** Makes of the link in the address a session; the address forgets it at once. */
async function redeem(link) {
  const response = await fetch('/session', {method: 'POST', body: link, credentials: 'omit'});
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new EndedError(problem.detail ?? 'the link cannot be used');
  }
  const {session: id, key} = await response.json();
  const hash = await crypto.subtle.digest('SHA-256', bytes.encode(key));
  const signing =
      await crypto.subtle.importKey('raw', hash, {name: 'HMAC', hash: 'SHA-256'}, false, ['sign']);
  await store('readwrite', (all) => all.put({id, key: signing}, CURRENT));
}

function takeLink() {
  if (!inPage || !location.hash.startsWith(LINK)) {
    return undefined;
  }
  const link = location.hash.substring(LINK.length);
  history.replaceState(null, '', '#/now');
  return link;
}

const link = takeLink();
const begun = link === undefined ? Promise.resolve() : redeem(link);
begun.catch(() => {}); // whoever needs it is told

if (inPage) {
  // A link that is opened in a page that is there already changes nothing but its fragment.
  addEventListener('hashchange', () => {
    const next = takeLink();
    if (next !== undefined) {
      redeem(next).finally(() => location.reload());
    }
  });
}

/** Whether this page has brought a new session along. */
export const isNew = link !== undefined;

/** Reads anew what another page may have replaced. */
export function forget() {
  session = undefined;
  challenge = undefined;
}

async function current() {
  if (session === undefined) {
    const failure = await begun.then(() => undefined, (error) => error);
    session = await store('readonly', (all) => all.get(CURRENT));
    if (session === undefined) {
      throw failure ?? new EndedError('nobody is known here');
    }
  }
  return session;
}

function note(epoch, time) {
  challenge = {epoch, ahead: time - performance.now()};
}

async function challenged() {
  if (challenge === undefined) {
    const response = await fetch('/session', {cache: 'no-store', credentials: 'omit'});
    if (!response.ok) {
      throw new TypeError(`no challenge: ${response.status}`);
    }
    const {epoch, time} = await response.json();
    note(epoch, time);
  }
  return challenge;
}

async function authorization(method, target) {
  const {id, key} = await current();
  const {epoch, ahead} = await challenged();
  const time = Math.max(0, Math.round(performance.now() + ahead));
  const parts = [id, client, ++number, time];
  const text = ['kron-dashboard-1', epoch, ...parts, method, location.origin, target].join('\n');
  const signature = await crypto.subtle.sign('HMAC', key, bytes.encode(text));
  return `Kron ${parts.join('.')}.${word(signature)}`;
}

/**
 * A request with this session's signature. Fails as fetch does where the daemon is not there, and
 * with EndedError where the session is over.
 */
export async function signedFetch(method, address, signal) {
  const {pathname, search} = new URL(address, location.origin);
  const target = pathname + search;
  for (let again = false; ; again = true) {
    let response;
    try {
      response = await fetch(target, {
        method, signal, cache: 'no-store', credentials: 'omit', redirect: 'error',
        headers: {Authorization: await authorization(method, target)},
      });
    } catch (error) {
      challenge = undefined; // whoever answers next may be another daemon
      throw error;
    }
    if (response.status === 409 && method === 'GET' && !again) {
      continue; // a browser sends a request again whose connection broke, and the daemon answers it once
    }
    if (response.status !== 401) {
      return response;
    }
    const fresh = response.headers.get('Kron-Challenge');
    if (again || fresh === null) {
      const problem = await response.json().catch(() => ({}));
      throw new EndedError(problem.detail ?? 'the session is over');
    }
    const dot = fresh.lastIndexOf('.');
    note(fresh.substring(0, dot), Number(fresh.substring(dot + 1)));
  }
}
