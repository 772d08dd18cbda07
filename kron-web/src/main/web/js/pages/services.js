customElements.define('kron-services', class extends HTMLElement {});
