import {Hub} from './hub.js';

/** The hub of all pages of a browser; pages come and go. */
const hub = new Hub();

onconnect = ({ports: [port]}) => {
  const listener = (message) => port.postMessage(message);
  port.onmessage = ({data}) => {
    if (data === 'renew') {
      hub.renew();
    } else if (data === 'listen') {
      hub.add(listener);
    } else if (data === 'leave') {
      hub.remove(listener);
    }
  };
};
