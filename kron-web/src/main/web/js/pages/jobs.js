customElements.define('kron-jobs', class extends HTMLElement {});
