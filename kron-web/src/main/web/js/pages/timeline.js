import {html, nothing, svg} from 'lit';
import {Scale, lines} from '../parts/axis.js';
import {label, mark, OUTCOMES} from '../parts/outcomes.js';
import {get, Page} from '../parts/page.js';
import {local} from '../parts/pointer.js';
import {baseName, go, link} from '../parts/routes.js';
import {draw, hit, layout} from '../parts/row-picture.js';
import {describeItem, describeRow} from '../parts/row-words.js';
import {browserZone, city, date, DAY, everySecond, hourMinute, millis, now, parts} from '../parts/times.js';
import {Width} from '../parts/width.js';
import {WindowedRows} from '../parts/windowed.js';

const HOUR = 3_600_000;
const SPANS = [['1h', HOUR, 'Hour'], ['3h', 3 * HOUR, '3 h'], ['8h', 8 * HOUR, '8 h'], ['1d', DAY, 'Day'], ['3d', 3 * DAY, '3 days'],
  ['1w', 7 * DAY, 'Week'], ['1M', 31 * DAY, 'Month']];
const USUAL = '8h';
const NARROW = 640;
const LABEL = 78;
/** The room that the name of a time takes. */
const WORD = 40;
/** A shorter time without a daemon is drawn, and not named. */
const NAMED = 4;
const NAMES = 208;
/** Where now stands while the picture follows it. */
const NOW_AT = 0.58;
const SETTLE_MILLIS = 160;

/**
 * One row a job: past runs as bars as long as they took, coming periods as their window with the chosen second. What
 * is in view is loaded with half a picture on either side, so that panning shows something at once.
 */
class Timeline extends Page {
  static properties = {tip: {state: true}, row: {state: true}, item: {state: true}, dragged: {state: true}};

  constructor() {
    super();
    this.tip = undefined;
    this.row = 0;
    this.item = undefined;
    this.dragged = undefined;
    this.settle = 0;
    this.width = new Width(this, 1360);
    this.rows = new WindowedRows(this, {rowHeight: 34, fetch: (offset, limit, signal) => this.fetch(offset, limit, signal)});
  }

  connectedCallback() {
    this.filtered = this.whichRows;
    super.connectedCallback();
    this.quiet = everySecond(() => this.follow());
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.quiet();
    clearTimeout(this.settle);
  }

  get query() {
    return this.params.query ?? {};
  }

  /** What decides which rows there are. */
  get whichRows() {
    return `${this.query.empty ?? ''} ${this.query.filter ?? ''}`;
  }

  get span() {
    return SPANS.find(([key]) => key === this.query.span) ?? SPANS.find(([key]) => key === USUAL);
  }

  get chartWidth() {
    return Math.max(200, this.width.value - (this.isNarrow ? 0 : NAMES));
  }

  get isNarrow() {
    return this.width.value < NARROW;
  }

  /** The picture's scale: fixed by the address, or around now. */
  get scale() {
    const [, length] = this.span;
    const fixed = this.dragged ?? Date.parse(this.query.from ?? '');
    const pixel = length / this.chartWidth;
    const from = Number.isNaN(fixed) ? Math.floor((now() - length * NOW_AT) / pixel) * pixel : fixed;
    return new Scale(from, from + length, this.chartWidth);
  }

  get isFollowing() {
    return this.dragged === undefined && !this.query.from;
  }

  /** What to load: the picture and half of it on either side, at whole steps so that it seldom changes. */
  get wantedRange() {
    const {from} = this.scale;
    const [, length] = this.span;
    const step = length / 8;
    return [Math.floor((from - length / 2) / step) * step, Math.ceil((from + length * 1.5) / step) * step];
  }

  /** Where a row must have something to be there: what is seen, and a little of what comes into view by itself. */
  get seenRange() {
    const {from, to} = this.scale;
    const step = this.span[1] / 16;
    return [Math.floor(from / step) * step, Math.ceil(to / step) * step];
  }

  async fetch(offset, limit, signal) {
    const [from, to] = this.wantedRange;
    const [rowsFrom, rowsTo] = this.seenRange;
    const answer = await get('/v1/timeline', {
      rowsFrom: new Date(rowsFrom).toISOString(), rowsTo: new Date(rowsTo).toISOString(),
      from: new Date(from).toISOString(), to: new Date(to).toISOString(), filter: this.query.filter,
      empty: this.query.empty ?? 'auto', offset, limit, buckets: Math.round(((to - from) / this.span[1]) * this.chartWidth),
    }, signal);
    this.loaded = [from, rowsTo];
    return answer;
  }

  load(signal) {
    return this.rows.load(signal);
  }

  concerns({component}) {
    return ['job', 'clock', 'config', 'daemon'].includes(component);
  }

  moved() {
    if (this.whichRows !== this.filtered) {
      this.filtered = this.whichRows;
      this.rows.reset();
    }
    this.item = undefined;
    this.reload();
  }

  /** Goes on with the clock: draws when now has moved by a pixel, loads when the picture leaves what was loaded. */
  follow() {
    const pixel = Math.floor(now() / this.scale.perPixel);
    if (pixel !== this.pixel && this.data !== undefined) {
      this.pixel = pixel;
      this.requestUpdate();
      if (this.isFollowing && this.scale.to > this.loaded[1]) {
        this.reload();
      }
    }
  }

  view({downs, zoneChanges, hidden}) {
    const {scale} = this;
    const marks = lines(scale, this.isNarrow ? 64 : 78);
    this.rows.rowHeight = this.isNarrow ? 48 : 34;
    return html`
      <div class="timeline-head"><h1 class="unseen">Timeline</h1>${this.controls(scale, hidden ?? 0)}</div>
      ${this.rows.matched === 0 ? html`<p class="quiet">${nothingToSee(this.rows.total, hidden)}</p>` : html`
      <div class="chart ${this.isNarrow ? 'narrow' : ''}" tabindex="0" role="group" aria-roledescription="timeline"
          aria-label="Timeline: arrows left and right pan, plus and minus zoom, up and down choose a job, brackets its marks"
          aria-describedby="timeline-said" @keydown=${this.key} @wheel=${this.wheel}>
        ${this.axis(scale, marks, downs ?? [], zoneChanges ?? [])}
        ${this.rows.render((row, i, place) => this.line(row, i, place, {scale, downs: downs ?? [], marks}), 'list', (i) => [
          scale.from, scale.width, Math.floor(now() / scale.perPixel), downs, this.query.by, this.rows.rows.get(i - 1)?.group,
          i === this.row ? (this.item ?? 'none') : undefined])}
      </div>
      ${legend}`}
      <p class="unseen" id="timeline-said" role="status">${this.said ?? ''}</p>
      ${this.tip === undefined ? nothing : html`<div class="tip" aria-hidden="true" .style=${`left:${this.tip.x}px;top:${this.tip.y}px`}>
        ${this.tip.lines.map((line, i) => html`<p class=${i === 0 ? 'first' : ''}><bdi>${line}</bdi></p>`)}</div>`}`;
  }

  controls(scale, hidden) {
    const {query} = this;
    const [key] = this.span;
    return html`<div class="controls">
      <input type="search" aria-label="Filter jobs" placeholder="filter" .value=${query.filter ?? ''} maxlength="200" @input=${this.filter}>
      <div class="segments" role="group" aria-label="Span">${SPANS.map(([one, , word]) => html`<button type="button"
        aria-pressed=${one === key} @click=${() => this.zoomTo(one)}>${word}</button>`)}</div>
      <div class="segments" role="group" aria-label="Move"><button type="button" aria-label="Earlier" @click=${() => this.pan(-0.5)}>←</button>
        <button type="button" aria-pressed=${this.isFollowing} @click=${() => this.change({from: undefined})}>Now</button>
        <button type="button" aria-label="Later" @click=${() => this.pan(0.5)}>→</button></div>
      <label><input type="checkbox" .checked=${query.by === 'file'} @change=${(e) => this.change({by: e.target.checked ? 'file' : undefined})}>by file</label>
      ${hidden > 0 || query.empty !== undefined ? html`<label><input type="checkbox" .checked=${query.empty === 'show'}
        @change=${(e) => this.change({empty: e.target.checked ? 'show' : undefined})}>empty rows${hidden > 0
          ? html` <span class="quiet">(${hidden.toLocaleString('en')})</span>` : nothing}</label>` : nothing}
      <p class="quiet extent">${extent(scale)} <span class="mono">${city(browserZone)}</span></p></div>`;
  }

  axis(scale, marks, downs, zoneChanges) {
    const x = scale.x(now());
    const isIn = x >= 0 && x <= scale.width;
    return html`<div class="axis"><svg class="picture" width=${scale.width} height="38" aria-hidden="true">
      ${marks.map((one) => ((isIn && Math.abs(one.x + 18 - x) < 32) || one.x + WORD > scale.width ? nothing
        : svg`<text class=${one.isDay ? 'day' : nothing} x=${one.x + 3} y="14">${one.text}</text>`))}
      ${marks.map((one) => svg`<path class="s-grid" d="M${one.x + 0.5} 20V38" />`)}
      ${this.downLabels(downs, scale)}
      ${zoneChanges.map((change) => {
        const at = scale.x(millis(change.at));
        return at < 0 || at > scale.width ? nothing : svg`<path class="s-zone" d="M${at.toFixed(1)} 20V38" />
          <text class="zone" x=${at + 3} y="32">${city(change.zone)} ${change.offsetBefore} → ${change.offsetAfter}</text>`;
      })}
      ${isIn ? svg`<text class="now" x=${x} y="14" text-anchor="middle">now</text><path class="s-now" d="M${x.toFixed(1)} 20V38" />` : nothing}
    </svg></div>`;
  }

  /** The times without a daemon, named where there is room for it. */
  downLabels(downs, scale) {
    let free = 0;
    return downs.map((down) => [Math.max(0, scale.x(millis(down.from))), Math.min(scale.width, scale.x(millis(down.to)))])
        .filter(([x0, x1]) => x1 > 0 && x0 < scale.width && x1 >= x0)
        .map(([x0, x1]) => {
          const hasRoom = x0 >= free && x1 - x0 >= NAMED;
          free = hasRoom ? x0 + LABEL : free;
          return svg`<rect class="f-down" x=${x0} y="20" width=${Math.max(1, x1 - x0)} height="18" />${hasRoom
            ? svg`<text x=${x0 + 3} y="32">krond down</text>` : nothing}`;
        });
  }

  line(row, i, place, {scale, downs, marks}) {
    const height = this.rows.rowHeight;
    const items = layout(row, scale, now());
    const chosen = i === this.row && this.item !== undefined ? items[this.item] : undefined;
    const x = scale.x(now());
    const isFirst = this.query.by === 'file' && this.rows.rows.get(i - 1)?.group !== row.group;
    const bands = downs.map((down) => [scale.x(millis(down.from)), scale.x(millis(down.to))])
        .filter(([x0, x1]) => x1 > 0 && x0 < scale.width)
        .map(([x0, x1]) => `M${Math.max(0, x0).toFixed(1)} 0H${Math.max(x0 + 1, Math.min(x1, scale.width)).toFixed(1)}V${height}H${Math.max(0, x0).toFixed(1)}z`);
    return html`<div class="row ${isFirst ? 'group' : ''} ${i === this.row ? 'chosen' : ''}" role="listitem" aria-setsize=${this.rows.matched} aria-posinset=${i + 1} .style=${place} data-job=${row.identity}>
      <a class="plain name" href=${link('job', row.identity)} title=${row.identity} tabindex="-1"><bdi>${row.job}</bdi>${isFirst ? html`<small>${baseName(row.group ?? '')}</small>` : nothing}</a>
      <svg class="picture" width=${scale.width} height=${height} role="img" aria-label=${describeRow(row, scale.from, scale.to)}
          @pointermove=${(e) => this.hover(e, row, items)} @pointerleave=${() => (this.tip = undefined)}
          @pointerdown=${this.grab} @click=${(e) => this.click(e, row, items)}>
        <path class="f-down" d=${bands.join('')} /><path class="s-grid" d=${marks.map((one) => `M${one.x + 0.5} 0v${height}`).join('')} />
        ${draw(items, scale, this.isNarrow ? 22 : 8, chosen)}
        ${x >= 0 && x <= scale.width ? svg`<path class="s-now" d="M${x.toFixed(1)} 0v${height}" />` : nothing}</svg></div>`;
  }

  hover(event, row, items) {
    if (this.dragging) {
      return;
    }
    const item = hit(items, local(event).x);
    event.currentTarget.classList.toggle('over', item !== undefined);
    this.tip = item === undefined ? undefined : {
      lines: [row.job, ...describeItem(item)],
      x: Math.min(event.clientX + 14, innerWidth - 300),
      y: event.clientY + (event.clientY > innerHeight - 140 ? -110 : 16),
    };
  }

  click(event, row, items) {
    const item = hit(items, local(event).x);
    if (item !== undefined && !this.wasDragged) {
      this.open(row, item);
    }
  }

  open(row, {kind, of}) {
    this.tip = undefined;
    if (kind === 'bucket') {
      const middle = (millis(of.from) + millis(of.to)) / 2;
      const [key, length] = this.span;
      const at = SPANS.findIndex(([one]) => one === key);
      const [closer, shorter] = SPANS[Math.max(0, at - 1)];
      this.change({span: closer, from: new Date(middle - Math.min(length, shorter) / 2).toISOString()});
    } else if (kind === 'run' && of.run) {
      go(link('run', of.run));
    } else {
      go(link('job', row.identity, {period: of.period}));
    }
  }

  /** Drags the picture along; what is loaded follows when the hand rests. */
  grab(event) {
    if (event.button !== 0) {
      return;
    }
    const {from, perPixel} = this.scale;
    const begin = event.clientX;
    this.wasDragged = false;
    const move = (e) => {
      if (Math.abs(e.clientX - begin) > 4 || this.dragging) {
        this.dragging = true;
        this.wasDragged = true;
        this.tip = undefined;
        this.dragged = from - (e.clientX - begin) * perPixel;
      }
    };
    const end = () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      if (this.dragging) {
        this.dragging = false;
        this.settleAt(this.dragged);
      }
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  }

  settleAt(from) {
    this.dragged = from;
    clearTimeout(this.settle);
    this.settle = setTimeout(() => {
      this.dragged = undefined;
      this.change({from: new Date(Math.round(from / 1000) * 1000).toISOString()});
    }, SETTLE_MILLIS);
  }

  pan(part) {
    const {from} = this.scale;
    this.settleAt(from + part * this.span[1]);
  }

  zoom(by, around = 0.5) {
    const at = SPANS.indexOf(this.span) + by;
    if (SPANS[at] !== undefined) {
      this.zoomTo(SPANS[at][0], around);
    }
  }

  zoomTo(key, around = 0.5) {
    const {from} = this.scale;
    const [, length] = SPANS.find(([one]) => one === key);
    const middle = from + this.span[1] * around;
    this.change({span: key, from: this.isFollowing ? undefined : new Date(Math.round(middle - length * around)).toISOString()});
  }

  wheel(event) {
    if (event.ctrlKey) {
      event.preventDefault();
      if (event.timeStamp - (this.wheeled ?? 0) > 180) {
        this.wheeled = event.timeStamp;
        this.zoom(event.deltaY > 0 ? 1 : -1);
      }
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.settleAt(this.scale.from + event.deltaX * this.scale.perPixel);
    }
  }

  filter(event) {
    this.change({filter: event.target.value});
  }

  change(query) {
    go(link('timeline', undefined, {...this.query, ...query}), true);
  }

  key(event) {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const deeds = {
      ArrowLeft: () => this.pan(-0.125), ArrowRight: () => this.pan(0.125), ArrowUp: () => this.choose(this.row - 1),
      ArrowDown: () => this.choose(this.row + 1), Home: () => this.choose(0), End: () => this.choose(this.rows.matched - 1),
      PageUp: () => this.choose(this.row - 15), PageDown: () => this.choose(this.row + 15),
      '+': () => this.zoom(-1), '=': () => this.zoom(-1), '-': () => this.zoom(1), 0: () => this.change({from: undefined}),
      '[': () => this.step(-1), ']': () => this.step(1), Enter: () => this.openChosen(),
    };
    if (deeds[event.key] !== undefined) {
      event.preventDefault();
      deeds[event.key]();
    }
  }

  choose(index) {
    this.row = Math.min(Math.max(0, index), this.rows.matched - 1);
    this.item = undefined;
    const top = this.rows.body.getBoundingClientRect().top + this.row * this.rows.rowHeight;
    const lowest = innerHeight - this.rows.rowHeight - 12;
    if (top < 150 || top > lowest) {
      scrollBy(0, top < 150 ? top - 150 : top - lowest);
    }
    const row = this.rows.rows.get(this.row);
    this.said = row === undefined ? '' : describeRow(row, this.scale.from, this.scale.to);
  }

  /** The marks of the chosen row, one after the other. */
  step(by) {
    const row = this.rows.rows.get(this.row);
    const items = row === undefined ? [] : layout(row, this.scale, now());
    if (items.length === 0) {
      return;
    }
    const order = items.map((_, i) => i).sort((a, b) => items[a].x0 - items[b].x0);
    const at = order.indexOf(this.item);
    const next = at < 0 ? (by > 0 ? 0 : order.length - 1) : Math.min(Math.max(0, at + by), order.length - 1);
    this.item = order[next];
    this.said = [row.job, ...describeItem(items[this.item])].join(', ');
    const place = this.querySelector(`[aria-posinset="${this.row + 1}"] svg`)?.getBoundingClientRect();
    if (place !== undefined) {
      this.tip = {lines: [row.job, ...describeItem(items[this.item])], x: Math.min(place.left + Math.max(0, items[this.item].x0), innerWidth - 300), y: place.bottom + 2};
    }
  }

  openChosen() {
    const row = this.rows.rows.get(this.row);
    const items = row === undefined ? [] : layout(row, this.scale, now());
    if (this.item !== undefined && items[this.item] !== undefined) {
      this.open(row, items[this.item]);
    } else if (row !== undefined) {
      go(link('job', row.identity));
    }
  }
}

/** From when to when, with the day where it is not today. */
function extent({from, to}) {
  const [a, b] = [parts(from), parts(to)];
  const day = (p) => `${p.weekday} ${p.year}-${p.month}-${p.day}`;
  return date(from) === date(to)
      ? `${day(a)}, ${hourMinute(from)} to ${hourMinute(to)}` : `${day(a)} ${hourMinute(from)} to ${day(b)} ${hourMinute(to)}`;
}

const nothingToSee = (total, hidden) => (total === 0 ? 'There are no jobs yet.'
    : hidden > 0 ? 'Nothing ran in this time, and nothing will.' : 'No job has such a name.');

const legend = html`<p class="legend" aria-hidden="true">${OUTCOMES.map((word) => html`<span>${mark(word)}${label(word)}</span>`)}<span>${mark('window')}window, with its chosen second</span></p>`;

customElements.define('kron-timeline', Timeline);
