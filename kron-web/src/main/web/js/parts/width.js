/** Tells an element how wide it is, and renders it again when that changes, so that pictures are drawn to the pixel. */
export class Width {
  constructor(host, usual = 1000) {
    this.host = host;
    this.value = usual;
    this.observer = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (width > 0 && width !== this.value) {
        this.value = width;
        host.requestUpdate();
      }
    });
    host.addController(this);
  }

  hostConnected() {
    const width = Math.floor(this.host.getBoundingClientRect().width);
    this.value = width > 0 ? width : this.value;
    this.observer.observe(this.host);
  }

  hostDisconnected() {
    this.observer.disconnect();
  }
}
