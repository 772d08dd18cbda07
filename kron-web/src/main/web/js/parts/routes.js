/** Addresses within the page: `#/job/NAME?key=value`. */

export function parse(hash) {
  const text = hash.replace(/^#\/?/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  const [page, ...rest] = path.split('/');
  const query = Object.fromEntries(new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)));
  return {page: page || 'now', name: decoded(rest.join('/')), query};
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function link(page, name, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const tail = given.length === 0 ? '' : '?' + new URLSearchParams(given);
  return '#/' + page + (name === undefined ? '' : '/' + encodeURIComponent(name)) + tail;
}

/** Goes to an address; replacing leaves no trace in the browser's history. */
export function go(address, replacing = false) {
  if (replacing) {
    history.replaceState(null, '', address);
    dispatchEvent(new HashChangeEvent('hashchange'));
  } else {
    location.hash = address;
  }
}

/** A path of the API with names in it. */
export const api = (...parts) => '/v1/' + parts.map(encodeURIComponent).join('/');

/** The last part of a job's identity. */
export const nameOf = (identity) => identity.slice(identity.lastIndexOf(':') + 1);

/** The file that a job's identity names. */
export const fileOf = (identity) => (identity.includes(':') ? identity.slice(0, identity.lastIndexOf(':')) : '');

/** The last part of a path. */
export const baseName = (path) => path.slice(path.lastIndexOf('/') + 1);
