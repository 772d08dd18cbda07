import {LitElement} from 'lit';

/** The base of all elements: they render into the document itself, so that one stylesheet holds for all. */
export class KronElement extends LitElement {
  createRenderRoot() {
    return this;
  }
}
