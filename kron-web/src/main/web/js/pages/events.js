customElements.define('kron-events', class extends HTMLElement {});
