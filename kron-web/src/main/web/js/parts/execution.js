import {html, nothing} from 'lit';

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
      <dt>environment</dt><dd class="mono">${what.environment.map((line) => html`<div><bdi>${line}</bdi></div>`)}</dd></dl>`;
}
