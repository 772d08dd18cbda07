/** Where a pointer is within the picture that listens to it, whatever shape it points at. */
export function local(event) {
  const {left, top} = event.currentTarget.getBoundingClientRect();
  return {x: event.clientX - left, y: event.clientY - top};
}
