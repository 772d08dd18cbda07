import {PLAIN, plain, styled} from './ansi.js';

const MOST_CHARACTERS = 24 * 1024 * 1024;
const MOST_LINES = 300_000;
/** A line longer than this is cut into several, so that nothing has to be looked at as a whole. */
const LONGEST = 16_384;

/** No escape sequence that colours is longer. */
const SEQUENCE = 32;

/** Where a text is cut that begins at a place: not within a sequence or a pair of surrogates, nor before the end of what is short. */
function cutAt(text, begin) {
  const end = begin + LONGEST;
  if (end >= text.length) {
    return text.length;
  }
  const escape = text.lastIndexOf('\x1b', end - 1);
  if (escape > end - SEQUENCE) {
    return escape;
  }
  return (text.charCodeAt(end) & 0xfc00) === 0xdc00 ? end - 1 : end;
}

/** The lines of an output, bounded: the oldest make room. */
export class Lines {
  constructor() {
    this.decoder = new TextDecoder();
    this.texts = [];
    this.states = [];
    this.times = [];
    this.dropped = 0;
    this.characters = 0;
    this.bytes = 0;
    this.rest = '';
    this.state = PLAIN;
    this.version = 0;
  }

  get length() {
    return this.texts.length + (this.rest === '' ? 0 : 1);
  }

  /** Takes what came, at a time that is known only of what came while somebody looked. */
  add(chunk, time) {
    this.bytes += chunk.length;
    this.version++;
    const text = this.rest + this.decoder.decode(chunk, {stream: true});
    let begin = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', begin)) {
      this.line(text.slice(begin, end), time);
      begin = end + 1;
    }
    this.rest = text.slice(begin);
    while (this.rest.length > LONGEST) {
      const end = cutAt(this.rest, 0);
      this.line(this.rest.slice(0, end), time);
      this.rest = this.rest.slice(end);
    }
    this.bound();
  }

  line(text, time) {
    for (let at = 0, end = 0; at === 0 || at < text.length; at = end) {
      end = Math.max(1, cutAt(text, at));
      const part = text.slice(at, end);
      this.texts.push(part);
      this.states.push(this.state);
      this.times.push(time);
      this.characters += part.length;
      if (part.includes('\x1b')) {
        this.state = styled(part, this.state).state;
      }
    }
  }

  bound() {
    if (this.texts.length <= MOST_LINES && this.characters <= MOST_CHARACTERS) {
      return;
    }
    let count = 0;
    let {characters} = this;
    while (this.texts.length - count > MOST_LINES * 0.9 || characters > MOST_CHARACTERS * 0.9) {
      characters -= this.texts[count++].length;
    }
    this.texts.splice(0, count);
    this.states.splice(0, count);
    this.times.splice(0, count);
    this.dropped += count;
    this.characters = characters;
  }

  text(index) {
    return this.texts[index] ?? this.rest;
  }

  pieces(index) {
    return styled(this.text(index), this.states[index] ?? this.state).pieces;
  }

  read(index) {
    const text = this.text(index);
    return /[^\x20-\x7e]/.test(text) ? plain(text) : text;
  }
}
