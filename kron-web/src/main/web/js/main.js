import {html, render} from 'lit';

render(html`<h1>Kron</h1>`, document.body);
