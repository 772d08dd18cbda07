/** What the one who looks may do. */
let authority = 'reader';
const waiting = new Set();

export function noteAuthority(word) {
  if (word !== authority) {
    authority = word;
    waiting.forEach((call) => call());
  }
}

export const mayOperate = () => authority !== 'reader';

/** Renders an element again when it becomes known what may be done. */
export class AuthorityController {
  constructor(host) {
    this.call = () => host.requestUpdate();
    host.addController(this);
  }

  hostConnected() {
    waiting.add(this.call);
  }

  hostDisconnected() {
    waiting.delete(this.call);
  }
}
