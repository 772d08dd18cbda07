import {html, nothing} from 'lit';
import {repeat} from 'lit/directives/repeat.js';
import {request} from '../connection/connection.js';
import {mayOperate} from './authority.js';
import {confirm, tell} from './dialogs.js';
import {link} from './routes.js';

const runOf = ({runId}) => (runId ? link('run', runId) : undefined);

/** Does something, and says what came of it, with a link to where that can be seen. */
export async function act(path, query, seen = runOf) {
  try {
    const done = await request('POST', path, {query});
    tell(done.message, false, seen(done));
    return done;
  } catch (error) {
    tell(error.detail ?? error.message, true);
    return undefined;
  }
}

/** Asks first, then does it; a choice in the question is handed to the query. */
export async function actAfter(question, path, query = () => undefined, seen = runOf) {
  const answer = await confirm(question);
  return answer === undefined ? undefined : act(path, query(answer), seen);
}

/**
 * The buttons of a job, a run or a service. Each keeps its place while things change, so that nobody presses another
 * than the one that was meant; what cannot be done now says why. Readers see why there are none.
 *
 * @param list of [word, call, options?: {danger, off: why it cannot be done now, hidden}]
 */
export function buttons(list) {
  if (!mayOperate()) {
    return html`<p class="actions quiet">You may look, not change: this session belongs to a reader.</p>`;
  }
  return html`<p class="actions">${repeat(list.filter((one) => !one[2]?.hidden), ([word]) => word, ([word, call, options]) =>
    html`<button type="button" class=${options?.danger ? 'danger' : nothing} ?disabled=${Boolean(options?.off)} title=${options?.off || nothing} @click=${call}>${word}</button>`)}</p>`;
}
