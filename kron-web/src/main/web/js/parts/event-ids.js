/** Whether the event with an id came after what is known as of another: ids are `EPOCH-NUMBER`. */
export function isNews(id, asOf) {
  if (!id || !asOf) {
    return true;
  }
  const dash = id.lastIndexOf('-');
  const other = asOf.lastIndexOf('-');
  if (id.slice(0, dash) !== asOf.slice(0, other)) {
    return true;
  }
  return Number(id.slice(dash + 1)) > Number(asOf.slice(other + 1));
}
