/** Arrows up and down lead from the link of one row to that of the next. */
export function listKeys(event) {
  const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
  const row = event.target.closest('.row');
  if (by === undefined || row === null || event.target.closest('a') === null) {
    return;
  }
  const place = Number(row.getAttribute('aria-rowindex')) + by;
  const next = row.parentElement.querySelector(`[aria-rowindex="${place}"] a`);
  if (next !== null) {
    event.preventDefault();
    next.focus({preventScroll: true});
    next.scrollIntoView({block: 'nearest'});
  }
}

/** The head of a list: words that sort where they are pressed. */
export function sortable(html, columns, query, change) {
  const descending = query.order === 'desc';
  return html`<div class="row head" role="row">${columns.map(([key, word, name]) => {
    const isSorted = key !== undefined && (query.sort ?? 'name') === key;
    return html`<span role="columnheader" class=${name} aria-sort=${isSorted ? (descending ? 'descending' : 'ascending') : 'none'}>${key === undefined
      ? word
      : html`<button type="button" class="link" @click=${() => change({sort: key, order: isSorted && !descending ? 'desc' : undefined})}>${word}${isSorted
          ? (descending ? ' ↓' : ' ↑') : ''}</button>`}</span>`;
  })}</div>`;
}
