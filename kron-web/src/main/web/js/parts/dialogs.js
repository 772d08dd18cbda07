import {html, nothing} from 'lit';
import {KronElement} from './element.js';

/** Questions before something is done, answers to a click, and one line that says what came of it. */

let dialogs;

/**
 * Asks before something is done.
 *
 * @param question {title, sentences, act, danger, choices?: {label, values}}
 * @returns the choice that was made (true where there is none), or undefined if it is not to be done
 */
export const confirm = (question) => dialogs.ask(question);

/** Shows something to read until it is closed. */
export const show = (title, content) => dialogs.ask({title, content});

/** Says in one line what came of something; a failure stays longer. */
export const tell = (text, isBad = false, address = undefined) => dialogs.tell(text, isBad, address);

export const showKeys = () => show('Keys', html`<dl class="keys">
  <dt><kbd>/</kbd></dt><dd>find a job, a service, a run</dd>
  <dt><kbd>g</kbd> <kbd>n</kbd></dt><dd>Now; <kbd>t</kbd> Timeline, <kbd>j</kbd> Jobs, <kbd>s</kbd> Services, <kbd>e</kbd> Events; <kbd>f</kbd> Fleet, where there is one</dd>
  <dt><kbd>←</kbd> <kbd>→</kbd></dt><dd>in the timeline: earlier, later</dd>
  <dt><kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd></dt><dd>in the timeline: closer, wider, back to now</dd>
  <dt><kbd>↑</kbd> <kbd>↓</kbd></dt><dd>in the timeline and in lists: the row before, the row after</dd>
  <dt><kbd>[</kbd> <kbd>]</kbd></dt><dd>in the timeline: the mark before, the mark after; <kbd>Enter</kbd> opens it</dd>
  <dt><kbd>f</kbd> <kbd>w</kbd> <kbd>n</kbd></dt><dd>in output: follow, wrap, next find</dd>
  <dt><kbd>Esc</kbd></dt><dd>close</dd></dl>`);

const BAD_MILLIS = 12_000;
const GOOD_MILLIS = 6_000;

class Dialogs extends KronElement {
  static properties = {question: {state: true}, told: {state: true}};

  constructor() {
    super();
    this.question = undefined;
    this.told = undefined;
    dialogs = this;
  }

  ask(question) {
    this.answer?.(undefined);
    this.question = question;
    return new Promise((resolve) => {
      this.answer = resolve;
      this.updateComplete.then(() => {
        const dialog = this.querySelector('dialog');
        if (!dialog.open) {
          dialog.showModal();
        }
        dialog.querySelector('[data-first]')?.focus();
      });
    });
  }

  close(value) {
    this.querySelector('dialog').close();
    this.answer?.(value);
    this.answer = undefined;
    this.question = undefined;
  }

  tell(text, isBad, address) {
    this.told = {text, isBad, address};
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.told = undefined), isBad ? BAD_MILLIS : GOOD_MILLIS);
  }

  render() {
    return html`${this.question === undefined ? html`<dialog></dialog>` : this.dialog(this.question)}
      <div role="status" class="told-place">${this.told === undefined ? nothing : html`
        <p class="told ${this.told.isBad ? 'bad' : ''}"><bdi>${this.told.text}</bdi>
          ${this.told.address ? html`<a href=${this.told.address}>open</a>` : nothing}</p>`}</div>`;
  }

  dialog({title, sentences, content, act, danger, choices}) {
    return html`<dialog aria-labelledby="dialog-title" @cancel=${(e) => (e.preventDefault(), this.close())}
        @click=${(e) => e.target === e.currentTarget && this.close()}>
      <form method="dialog" @submit=${(e) => this.submit(e, choices)}>
        <h2 id="dialog-title"><bdi>${title}</bdi></h2>
        ${(sentences ?? []).map((sentence) => html`<p><bdi>${sentence}</bdi></p>`)}
        ${content ?? nothing}
        ${choices ? html`<label>${choices.label} <select name="choice">${choices.values.map(([value, text]) =>
          html`<option value=${value}>${text}</option>`)}</select></label>` : nothing}
        <p class="buttons">${act === undefined
          ? html`<button type="button" data-first @click=${() => this.close()}>Close</button>`
          : html`<button type="submit" class=${danger ? 'danger' : 'primary'} data-first=${danger ? nothing : ''}>${act}</button>
              <button type="button" data-first=${danger ? '' : nothing} @click=${() => this.close()}>Leave it</button>`}</p>
      </form></dialog>`;
  }

  submit(event, choices) {
    event.preventDefault();
    this.close(choices ? event.target.elements.choice.value : true);
  }
}

customElements.define('kron-dialogs', Dialogs);
