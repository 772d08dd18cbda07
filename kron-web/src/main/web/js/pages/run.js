customElements.define('kron-run', class extends HTMLElement {});
