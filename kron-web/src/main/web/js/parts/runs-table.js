import {html, nothing} from 'lit';
import {ending, outcome, outcomeOf} from './outcomes.js';
import {link} from './routes.js';
import {duration, elapsed, millis, ordinal, ticks, when} from './times.js';

/** How long a run took, or goes on. */
export const length = (run) => (!run.startedAt ? ''
  : run.completedAt ? duration(millis(run.completedAt) - millis(run.startedAt)) : ticks(() => elapsed(run.startedAt)));

/** Why a run was, where it was not simply due. */
function cause(run) {
  const words = [];
  if (run.manual) {
    words.push('by hand');
  }
  if (run.attempt > 1) {
    words.push(`${ordinal(run.attempt)} attempt`);
  }
  if (run.lateSeconds) {
    words.push(`${duration(run.lateSeconds * 1000)} late`);
  }
  return words.join(', ');
}

/** Runs with their reasons; the period asks why. */
export const runsTable = (runs, zone, why) => html`<div class="wide" tabindex="0" role="group" aria-label="Runs"><table class="runs"><thead><tr>
    <th scope="col">Began</th><th scope="col">Ended</th><th scope="col" class="number">Took</th><th scope="col">Period</th><th scope="col">Why</th></tr></thead>
  <tbody>${runs.map((run) => html`<tr>
    <th scope="row">${run.runId ? html`<a href=${link('run', run.runId)}>${when(run.startedAt ?? run.chosenTime ?? run.nominalTime)}</a>` : when(run.chosenTime ?? run.nominalTime)}</th>
    <td>${outcome(outcomeOf(run), ending(run))}</td>
    <td class="mono number">${length(run)}</td>
    <td>${run.nominalTime ? html`<button type="button" class="link" title="why" @click=${() => why(run.nominalTime)}>${when(run.nominalTime, zone)}</button>` : html`<span class="quiet">–</span>`}</td>
    <td class="quiet"><bdi>${[cause(run), run.reason ?? ''].filter((text) => text !== '').join(' · ')}</bdi>${run.causedBy
      ? html` after <a href=${link('run', run.causedBy)} class="mono">${run.causedBy.slice(0, 10)}…</a>` : nothing}</td></tr>`)}</tbody></table></div>`;
