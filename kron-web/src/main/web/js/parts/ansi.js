/**
 * Terminal output as text with classes: colours and weights of SGR sequences are kept, all other sequences are left
 * out, and what cannot be seen or turns a line round is shown as what it is. Never markup.
 */

const SEQUENCE = /\x1b(?:\[([0-9;:<=>?]*)([ -/]*)([@-~])|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~]?)/g;
const HIDDEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

export const PLAIN = '';

/** A character that has no picture of its own, as one. */
function shown(character) {
  const code = character.codePointAt(0);
  return code < 32 ? String.fromCodePoint(0x2400 + code) : code === 127 ? '␡' : `⟨${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

const harmless = (text) => text.replace(HIDDEN, shown).replaceAll('\t', '    ');

/** What is left on screen of a line that returns to its beginning. */
function settled(line) {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.slice(text.lastIndexOf('\r') + 1);
}

/** The nearest of the sixteen colours. */
function nearest(red, green, blue) {
  const [high, low] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const isBright = high > 170;
  if (high - low < 40) {
    return high < 60 ? 0 : high < 130 ? 8 : high < 210 ? 7 : 15;
  }
  const middle = (high + low) / 2;
  return (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0) + (isBright ? 8 : 0);
}

function palette(index) {
  if (index < 16) {
    return index;
  }
  if (index >= 232) {
    const grey = (index - 232) * 10 + 8;
    return nearest(grey, grey, grey);
  }
  const cube = index - 16;
  const level = (value) => (value === 0 ? 0 : value * 40 + 55);
  return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** The state after an SGR sequence, as classes: `fg1 bold`. */
function after(state, parameters) {
  let style = new Map(state === PLAIN ? [] : state.split(' ').map((name) => [name.replace(/\d+$/, ''), name]));
  const codes = parameters.split(/[;:]/).map(Number);
  const NAMES = {1: 'bold', 2: 'faint', 3: 'italic', 4: 'underline', 7: 'inverse', 9: 'struck'};
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i];
    if (code === 0) {
      style = new Map();
    } else if (NAMES[code]) {
      style.set(NAMES[code], NAMES[code]);
    } else if (code === 22) {
      style.delete('bold');
      style.delete('faint');
    } else if (NAMES[code - 20]) {
      style.delete(NAMES[code - 20]);
    } else if (code === 38 || code === 48) {
      const layer = code === 38 ? 'fg' : 'bg';
      if (codes[i + 1] === 5) {
        style.set(layer, layer + palette(Math.min(255, codes[i + 2] || 0)));
        i += 2;
      } else if (codes[i + 1] === 2) {
        style.set(layer, layer + nearest(codes[i + 2] || 0, codes[i + 3] || 0, codes[i + 4] || 0));
        i += 4;
      }
    } else if (code === 39 || code === 49) {
      style.delete(code === 39 ? 'fg' : 'bg');
    } else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
      style.set('fg', `fg${code >= 90 ? code - 82 : code - 30}`);
    } else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) {
      style.set('bg', `bg${code >= 100 ? code - 92 : code - 40}`);
    }
  }
  return [...style.values()].join(' ');
}

/** A line as pieces [{text, style}], and the state that the next line begins with. */
export function styled(line, state = PLAIN) {
  const text = settled(line);
  if (!text.includes('\x1b')) {
    return {pieces: [{text: harmless(text), style: state}], state};
  }
  const pieces = [];
  let at = 0;
  let style = state;
  const push = (end) => {
    if (end > at) {
      pieces.push({text: harmless(text.slice(at, end)), style});
    }
  };
  for (const found of text.matchAll(SEQUENCE)) {
    push(found.index);
    at = found.index + found[0].length;
    if (found[3] === 'm' && found[2] === '' && !/[<=>?]/.test(found[1])) {
      style = after(style, found[1]);
    }
  }
  push(text.length);
  return {pieces, state: style};
}

/** A line as it is read: without sequences. */
export const plain = (line) => styled(line).pieces.map((piece) => piece.text).join('');
