// @ts-check
/** Buttons and keys that step through the moves of a deal. */

import { h, icon } from "../dom.js";

export class Steps {
  /**
   * @param {number} last the number of the last position
   * @param {(place: number) => void} show called with the position to show, from 0
   */
  constructor(last, show) {
    this.last = last;
    this.show = show;
    this.place = 0;
    this.slider = h("input", { type: "range", min: 0, max: last, step: 1, value: 0, "aria-label": "Move" });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    const button = (/** @type {string} */ name, /** @type {string} */ sign, /** @type {() => number} */ to) =>
      h("button", { class: "quiet step", "aria-label": name, onclick: () => this.go(to()) }, icon(sign));
    this.element = h(
      "div",
      { class: "steps" },
      button("First move", "first", () => 0),
      button("Step back", "previous", () => this.place - 1),
      this.slider,
      button("Step forward", "following", () => this.place + 1),
      button("Last move", "last", () => last),
    );
  }

  /** @param {number} place */
  go(place) {
    this.place = Math.min(Math.max(place, 0), this.last);
    this.slider.value = String(this.place);
    this.slider.setAttribute(
      "aria-valuetext",
      this.place < this.last ? `Move ${this.place + 1} of ${this.last}` : "The end",
    );
    this.show(this.place);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
    const target = { ArrowLeft: this.place - 1, ArrowRight: this.place + 1, Home: 0, End: this.last }[event.key];
    if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.go(target);
  }
}
