import {html, nothing} from 'lit';

/** So many variables are shown without asking. */
const MOST = 16;

/** A word as one may paste it into a shell. */
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** What exactly is, or was, executed: words, user, directory, environment. */
export function execution(what) {
  if (!what) {
    return html`<p class="quiet">What was executed is not on record.</p>`;
  }
  return html`${what.problem ? html`<p class="problem"><bdi>${what.problem}</bdi></p>` : nothing}
    <dl class="pairs">
      <dt>command</dt><dd class="mono"><bdi>${what.argv.map(quoted).join(' ')}</bdi></dd>
      <dt>user</dt><dd class="mono"><bdi>${what.user}</bdi> <span class="quiet">uid ${what.uid}, gid ${what.gid}, groups ${what.groups.join(' ') || 'none'}</span></dd>
      <dt>directory</dt><dd class="mono"><bdi>${what.cwd}</bdi></dd>
      <dt>umask</dt><dd class="mono">${what.umask ?? 'as the daemon'}</dd>
      <dt>stdout, stderr</dt><dd class="mono"><bdi>${what.stdout}</bdi>, <bdi>${what.stderr}</bdi></dd>
      <dt>environment</dt><dd class="mono">${environment(what.environment)}</dd></dl>`;
}

/** Those that the daemon gives are few, and stand there; those that it was started with are as many as they are. */
function environment(lines) {
  const all = lines.map((line) => html`<div><bdi>${line}</bdi></div>`);
  return lines.length <= MOST ? all : html`<details><summary>${lines.length} variables</summary>${all}</details>`;
}
