import {html, nothing} from 'lit';
import {get, Page} from '../parts/page.js';
import '../parts/histogram.js';
import {outcome} from '../parts/outcomes.js';
import {link} from '../parts/routes.js';
import {clock, count, due, duration, elapsed, millis, moment, noteDaemonTime, now, ordinal, ticks, when} from '../parts/times.js';

const LIMIT = 8;
/** The daemon reads its jobs' last results after a start, and computes the load bit by bit: it says so, and is asked again. */
const AGAIN_MILLIS = 1_000;

/** How it is now: health in a sentence, what runs, what failed and has not succeeded since, what comes next. */
class Now extends Page {
  async load(signal) {
    const [overview, load] = await Promise.all([
      get('/v1/overview', {limit: LIMIT}, signal),
      get('/v1/load', undefined, signal).catch((error) => {
        if (error.name === 'AbortError') {
          throw error;
        }
        return undefined;
      }),
    ]);
    noteDaemonTime(overview.daemon.now);
    if (!overview.complete || load?.complete === false) {
      this.again = setTimeout(() => this.reload(), AGAIN_MILLIS);
    }
    return {...overview, load};
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    clearTimeout(this.again);
  }

  view({health, daemon, counts, running, failing, next, load}) {
    return html`
      <h1 class="unseen">Now</h1>
      ${this.sentence(health, daemon, counts, next)}
      ${counts.jobs === 0 && counts.services === 0 ? welcome : html`
        <div class="columns">
          <section aria-labelledby="now-running"><h2 id="now-running">Running</h2>
            ${table(running, 'Nothing runs.', runningRow)}${more(counts.running, running, '#/jobs?state=running')}</section>
          <section aria-labelledby="now-failing"><h2 id="now-failing">Failed, and not succeeded since</h2>
            ${table(failing, 'Nothing: what failed has succeeded since.', failingRow)}${more(counts.failing, failing, '#/jobs?last=failing')}</section>
          <section aria-labelledby="now-next"><h2 id="now-next">Next</h2>
            ${table(next, 'Nothing is due.', nextRow)}${next.length < LIMIT ? nothing : html`<p class="more"><a href="#/jobs?sort=next">all jobs by their next run</a></p>`}</section>
        </div>
        ${load === undefined ? nothing : html`<section aria-labelledby="now-load">
          <h2 id="now-load">Starts in the next 24 hours${load.peak.without > load.peak.with
            ? html`: peak ${load.peak.with}, not ${load.peak.without}` : nothing}</h2>
          <kron-histogram .load=${load}></kron-histogram></section>`}`}`;
  }

  sentence(health, daemon, counts, next) {
    const [first] = next;
    const parts = [`${count(counts.running, 'run')} going on`, count(counts.jobs, 'job')];
    if (counts.services > 0) {
      parts.push(counts.servicesUp === counts.services ? `${count(counts.services, 'service')} up` : `${counts.servicesUp} of ${count(counts.services, 'service')} up`);
    }
    return html`<div class="health"><p><i class=${health.healthy ? 'good' : 'bad'} aria-hidden="true"></i><strong>${health.healthy
        ? 'Healthy.' : 'Not healthy.'}</strong> ${parts.join(', ')}${counts.suspended > 0 ? `, ${counts.suspended} suspended` : ''}.
      <span class="quiet">${first === undefined ? nothing : html`Next: <a class="plain" href=${link('job', first.identity ?? first.job)}><bdi>${first.job}</bdi></a>
        ${ticks(() => due(first.at, 2))}. `}Up since ${moment(daemon.upSince)}.</span></p>
      ${health.problems.length === 0 ? nothing : html`<ul class="problems">${health.problems.map((problem) =>
        html`<li><bdi>${problem}</bdi></li>`)}</ul>`}</div>`;
  }
}

function table(rows, none, row) {
  return rows.length === 0 ? html`<p class="quiet">${none}</p>` : html`<table class="facts"><tbody>${rows.map(row)}</tbody></table>`;
}

const more = (total, shown, address) => (total > shown.length
    ? html`<p class="more"><a href=${address}>${(total - shown.length).toLocaleString('en')} more</a></p>` : nothing);

const runningRow = (run) => html`<tr>
  <th scope="row"><a class="run" href=${link('run', run.run)}><bdi>${run.job}</bdi></a>${run.attempt > 1
    ? html` <small>${ordinal(run.attempt)} attempt</small>` : nothing}</th>
  <td class="mono">${ticks(() => elapsed(run.since))}</td>
  <td>${against(run)}</td></tr>`;

/** Elapsed time as a bar against the usual time, which is the mark on it. */
function against({since, usualMillis}) {
  if (!usualMillis) {
    return html`<span class="quiet">no usual yet</span>`;
  }
  return ticks(() => {
    const gone = Math.max(0, now() - millis(since));
    const scale = Math.max(gone, usualMillis * 1.25);
    const isLate = gone > usualMillis;
    const told = isLate
        ? `${duration(gone - usualMillis)} longer than its usual ${duration(usualMillis)}` : `usually ${duration(usualMillis)}`;
    return html`<svg class="against" viewBox="0 0 72 12" width="72" height="12" role="img" aria-label=${told}><title>${told}</title>
      <rect class="f-track" y="3" width="72" height="6" rx="3" />
      <rect class=${isLate ? 'f-late' : 'f-running'} y="3" width=${((gone / scale) * 72).toFixed(1)} height="6" rx="3" />
      <rect class="f-ink" x=${Math.min(70, (usualMillis / scale) * 72).toFixed(1)} width="2" height="12" /></svg>`;
  });
}

function failingRow(one) {
  const word = one.outcome ?? 'failed';
  const note = [one.times > 1 ? `${ordinal(one.times)} time` : '', one.note === one.what ? '' : (one.note ?? '')].filter((text) => text !== '').join(' · ');
  return html`<tr>
    <th scope="row"><a class="plain" href=${one.kind === 'service' ? link('service', one.identity ?? one.name) : link('job', one.identity ?? one.name)}><bdi>${one.name}</bdi></a></th>
    <td>${outcome(word, one.what)}${note === '' ? nothing : html`<br><small><bdi>${note}</bdi></small>`}</td>
    <td>${when(one.at)}</td></tr>`;
}

const nextRow = (one) => html`<tr>
  <th scope="row"><a class="plain" href=${link('job', one.identity ?? one.job)}><bdi>${one.job}</bdi></a></th>
  <td>${when(one.at, one.zone, clock)}</td>
  <td>${one.attempt > 1 ? html`${ordinal(one.attempt)} attempt ` : nothing}<span class="ago">${ticks(() => due(one.at))}</span></td></tr>`;

const welcome = html`<section class="welcome"><h2>Nothing to run yet</h2>
  <p>A krontab has one job a line. Put this into a file in the daemon's directory, and tell it with <code>kron reload</code>:</p>
  <pre>0 2 * * * @win(after,2h) name=backup command=/usr/local/bin/backup</pre>
  <p>It will run once a night at a second between two and four: the same second on every machine that asks.
    <code>kron init</code> makes the directory, with an example.</p></section>`;

customElements.define('kron-now', Now);
