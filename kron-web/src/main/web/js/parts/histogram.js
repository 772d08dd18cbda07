import {html, nothing, svg} from 'lit';
import {KronElement} from './element.js';
import {local} from './pointer.js';
import {count, hourMinute, millis, relative, ticks} from './times.js';
import {Width} from './width.js';

const HEIGHT = 96;
const BASE = 78;

/** What the histogram says, as a sentence. */
function describeLoad({withWindows, peak, from, stepSeconds}) {
  const total = withWindows.reduce((sum, value) => sum + value, 0);
  if (total === 0) {
    return 'Nothing starts in the next 24 hours.';
  }
  const busiest = withWindows.indexOf(Math.max(...withWindows));
  const at = hourMinute(millis(from) + busiest * stepSeconds * 1000);
  return `${count(total, 'start')} in the next 24 hours; at most ${peak.with} in ${stepSeconds / 60} minutes, at ${at};`
      + ` without windows it would be ${peak.without}.`;
}

/** Starts of the next 24 hours: solid as they are spread by windows, outlined as they would be without. */
class Histogram extends KronElement {
  static properties = {load: {attribute: false}, told: {state: true}};

  constructor() {
    super();
    this.load = undefined;
    this.told = undefined;
    this.width = new Width(this);
  }

  render() {
    if (this.load === undefined) {
      return nothing;
    }
    const {from, stepSeconds, withWindows, withoutWindows, peak, computedAt, complete} = this.load;
    const highest = Math.max(1, peak.with, peak.without);
    const slots = withWindows.length;
    const step = this.width.value / slots;
    const gap = step > 5 ? 2 : 1;
    const tall = (value) => (value === 0 ? 0 : Math.max(1.5, (value / highest) * (BASE - 8)));
    const bars = (values) => values.map((value, i) =>
      (value === 0 ? '' : `M${(i * step).toFixed(1)} ${BASE}v${-tall(value).toFixed(1)}h${(step - gap).toFixed(1)}v${tall(value).toFixed(1)}z`)).join('');
    const hours = this.width.value < 600 ? 6 : 3;
    const labels = [];
    for (let i = 0; i < slots; i++) {
      const time = millis(from) + i * stepSeconds * 1000;
      const text = hourMinute(time);
      if (text.endsWith(':00') && Number(text.slice(0, 2)) % hours === 0 && i * step < this.width.value - 36) {
        labels.push(svg`<path class="s-grid" d="M${(i * step).toFixed(1)} ${BASE}v4" /><text x=${(i * step + 3).toFixed(1)} y="92">${text}</text>`);
      }
    }
    return html`<svg class="histogram" width=${this.width.value} height=${HEIGHT} role="img" aria-label=${describeLoad(this.load)}
        @pointermove=${this.hover} @pointerleave=${() => (this.told = undefined)}>
      <path class="outline" d=${bars(withoutWindows)} /><path class="f-load" d=${bars(withWindows)} />
      <path class="s-line" d="M0 ${BASE + 0.5}H${this.width.value}" />${labels}</svg>
      <p class="hint">${this.told ?? html`Computed ${ticks(() => relative(computedAt))}${complete ? '' : ', not complete yet'}.
        Solid is with windows, the outline is what would be without them.`}</p>`;
  }

  hover(event) {
    const {from, stepSeconds, withWindows, withoutWindows} = this.load;
    const slot = Math.floor((local(event).x / this.width.value) * withWindows.length);
    if (withWindows[slot] === undefined) {
      return;
    }
    const begin = millis(from) + slot * stepSeconds * 1000;
    this.told = `${hourMinute(begin)} to ${hourMinute(begin + stepSeconds * 1000)}: ${count(withWindows[slot], 'start')}, ${withoutWindows[slot]} without windows.`;
  }
}

customElements.define('kron-histogram', Histogram);
