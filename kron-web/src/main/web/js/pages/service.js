customElements.define('kron-service', class extends HTMLElement {});
