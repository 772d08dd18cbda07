customElements.define('kron-job', class extends HTMLElement {});
