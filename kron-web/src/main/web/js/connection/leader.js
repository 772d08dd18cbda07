import {Hub} from './hub.js';

/**
 * One stream of events for all pages of a browser that has no SharedWorker: the page that holds a lock has it, and
 * passes on what it hears. When that page goes, the next one takes the lock.
 */
const NAME = 'kron-hub';

/**
 * Tells what happens, whichever page hears it.
 *
 * @param arrived settles when this page's session is there; `true` where it is a new one
 */
export function listenTogether(tell, arrived) {
  if (typeof BroadcastChannel === 'undefined' || navigator.locks === undefined) {
    arrived.then(() => new Hub().add(tell));
    return;
  }
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({data: {message}}) => message && tell(message);
  arrived.then(async (isNew) => {
    channel.postMessage({ask: isNew ? 'renew' : 'state'});
    const lead = (isFirst) => (lock) => lock && new Promise(() => begin(channel, tell, isFirst));
    await navigator.locks.request(NAME, {ifAvailable: true}, lead(true));
    await navigator.locks.request(NAME, lead(false));
  });
}

/** This page has the stream from now on, for as long as it lives. */
function begin(channel, tell, isFirst) {
  const hub = new Hub();
  const pass = (message) => {
    channel.postMessage({message});
    tell(message);
  };
  channel.onmessage = ({data: {ask}}) => {
    if (ask === 'renew') {
      hub.renew();
    } else if (ask === 'state' && hub.state !== undefined) {
      channel.postMessage({message: hub.state});
    }
  };
  if (!isFirst) {
    pass({type: 'gap'}); // nobody knows what the page before did not hear any more
  }
  hub.add(pass);
}
