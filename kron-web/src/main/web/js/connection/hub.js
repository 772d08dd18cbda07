import {EndedError, forget, signedFetch} from './session.js';

/** Without a word for so long, heartbeats included, the daemon is away. */
const SILENCE_MILLIS = 25_000;
const PAUSES_MILLIS = [0, 250, 500, 1000, 2000, 3000];

const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** The one stream of events of a browser, and whoever listens to it. */
export class Hub {
  #listeners = new Set();
  #last;
  #state;
  #running = false;
  #connected = false;

  /** Tells a listener whatever happens from now on, and first what is the case. */
  add(listener) {
    this.#listeners.add(listener);
    if (this.#state !== undefined) {
      listener(this.#state);
    } else if (this.#connected) {
      listener({type: 'gap'}); // it may have looked before it could hear
    }
    if (!this.#running && this.#state?.type !== 'ended') {
      this.#run();
    }
  }

  /** What is the case, where that is not simply that all is well. */
  get state() {
    return this.#state;
  }

  remove(listener) {
    this.#listeners.delete(listener);
  }

  /** Somebody has a new session. */
  renew() {
    forget();
    if (this.#state?.type === 'ended') {
      this.#state = undefined;
      this.#run();
    }
  }

  #tell(message) {
    this.#listeners.forEach((listener) => listener(message));
  }

  async #run() {
    this.#running = true;
    let heard = Date.now();
    let failures = 0;
    let connectedBefore = false;
    while (true) {
      try {
        await this.#stream(() => {
          if (connectedBefore || failures > 1) {
            this.#state = undefined;
            this.#tell({type: 'back'});
          } else {
            this.#tell({type: 'gap'}); // pages may have looked before anything could be heard
          }
          connectedBefore = true;
          this.#connected = true;
          failures = 0;
        }, () => {
          heard = Date.now();
        });
      } catch (error) {
        if (error instanceof EndedError) {
          this.#state = {type: 'ended', why: error.message};
          this.#running = false;
          this.#connected = false;
          this.#tell(this.#state);
          return;
        }
      }
      this.#connected = false;
      failures++;
      if (failures === 2) { // the first time it may be a stream that has come to its end
        this.#state = {type: 'away', since: heard};
        this.#tell(this.#state);
      }
      await pause(PAUSES_MILLIS[Math.min(failures - 1, PAUSES_MILLIS.length - 1)]);
    }
  }

  async #stream(connected, heard) {
    const end = new AbortController();
    let silence = setTimeout(() => end.abort(), SILENCE_MILLIS);
    try {
      const query = this.#last === undefined ? '' : `?after=${encodeURIComponent(this.#last)}`;
      const response = await signedFetch('GET', `/v1/events${query}`, end.signal);
      if (!response.ok) {
        throw new TypeError(`no events: ${response.status}`);
      }
      connected();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let {done, value} = await reader.read(); !done; {done, value} = await reader.read()) {
        heard();
        clearTimeout(silence);
        silence = setTimeout(() => end.abort(), SILENCE_MILLIS);
        const blocks = (text + value).split('\n\n');
        text = blocks.pop();
        blocks.forEach((block) => this.#take(block));
      }
    } finally {
      clearTimeout(silence);
      end.abort();
    }
  }

  #take(block) {
    const fields = {};
    for (const line of block.split('\n')) {
      const colon = line.indexOf(': ');
      if (colon > 0) {
        fields[line.substring(0, colon)] = line.substring(colon + 2);
      }
    }
    if (fields.event === 'lost') {
      this.#tell({type: 'gap'});
    } else if (fields.data !== undefined) {
      this.#last = fields.id ?? this.#last;
      this.#tell({type: 'event', event: JSON.parse(fields.data)});
    }
  }
}
