import {get} from './page.js';
import {api} from './routes.js';

const RUNS = 1_000;

/** What pictures over time are made of. It is beside the state and may be gone: then there are no pictures, and nothing else is missing. */
export async function historyOf(job, signal) {
  try {
    return await get(api('jobs', job, 'history'), {runs: RUNS}, signal);
  } catch (error) {
    if (error.name === 'AbortError' || error.status === 0) {
      throw error;
    }
    return {runs: [], days: [], zone: null, asOf: undefined};
  }
}
