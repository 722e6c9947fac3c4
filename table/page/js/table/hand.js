// @ts-check
/** Cards that can be played: your hand, and the face-up cards of which you may pick one. */

import { cardName } from "../../game/deal/words.js";
import { h, reconcile, setAttributes } from "../dom.js";
import { alertUser } from "../notices.js";
import { change, settings } from "../settings.js";
import { sortCards, suitOrder } from "../words.js";
import { drawing } from "./card.js";
import { attract } from "./motion.js";

/** @typedef {import("../../game/types.js").HandCard} HandCard */

export class CardButtons {
  /**
   * @param {HTMLElement} element the element that holds the buttons
   * @param {(card: number) => void} play called when a card is played
   * @param {(card: HandCard) => void} refuse called when a card is chosen that must not be played
   */
  constructor(element, play, refuse) {
    this.element = element;
    this.play = play;
    this.refuse = refuse;
    /** @type {Map<number, HTMLButtonElement>} */
    this.buttons = new Map();
    /** @type {Map<number, HandCard>} */
    this.cards = new Map();
    /** @type {number | null} */
    this.raised = null;
    element.addEventListener("keydown", (event) => this.move(event));
  }

  /**
   * Show cards, in this order.
   *
   * @param {HandCard[]} cards
   * @param {{marked?: number[], drawn?: number | null}} [look] `marked`: cards to point at; `drawn`: the one that came last
   */
  show(cards, { marked = [], drawn = null } = {}) {
    const focused = cards.length > 0 && this.element.contains(document.activeElement);
    const place = this.inOrder().indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    this.cards = new Map(cards.map((card) => [card.card, card]));
    if (this.raised !== null && !this.cards.get(this.raised)?.playable) this.raised = null;
    const columns = Math.ceil(cards.length / 2); // two rows; the style sheet chooses between them and one
    const nodes = cards.map((card, number) => {
      const button = this.button(card);
      const isUpper = number < columns;
      const numbers = {
        "--i": number,
        "--n": cards.length,
        "--i2": isUpper ? number : number - columns,
        "--n2": isUpper ? columns : cards.length - columns,
        "--row2": Number(!isUpper),
      };
      for (const [name, value] of Object.entries(numbers)) button.style.setProperty(name, String(value));
      button.classList.toggle("last", number === cards.length - 1);
      button.classList.toggle("end-of-row", number === columns - 1);
      button.classList.toggle("upper", isUpper);
      button.classList.toggle("marked", marked.includes(card.card));
      button.classList.toggle("drawn", card.card === drawn);
      this.update(button, card);
      return /** @type {HTMLElement} */ (button.parentElement);
    });
    for (const card of [...this.buttons.keys()]) if (!this.cards.has(card)) this.buttons.delete(card);
    reconcile(this.element, nodes);
    if (focused && !this.element.contains(document.activeElement)) this.focus(place);
  }

  /** @param {HandCard} card @returns {HTMLButtonElement} */
  button(card) {
    const known = this.buttons.get(card.card);
    if (known !== undefined) return known;
    const button = h("button", { class: "card", "data-card": card.card }, drawing(card.card));
    button.addEventListener("click", () => this.tap(card.card));
    h("div", { role: "listitem" }, button);
    this.buttons.set(card.card, button);
    return button;
  }

  /** @returns {HTMLButtonElement[]} as they are shown */
  inOrder() {
    return [...this.element.querySelectorAll("button")];
  }

  /** @param {HTMLButtonElement} button @param {HandCard} card */
  update(button, card) {
    const { playable, reason } = card;
    const name = cardName(card.card);
    const raised = this.raised === card.card;
    setAttributes(button, {
      "aria-label":
        reason === null
          ? name
          : `${name}, not playable: ${reason.slice(0, 1).toLowerCase()}${reason.slice(1).replace(/\.$/, "")}`,
      "aria-disabled": playable ? null : "true",
      "aria-pressed": playable && !settings.singleTap ? String(raised) : null,
    });
    button.classList.toggle("raised", raised);
  }

  /** @param {number} name */
  tap(name) {
    const card = this.cards.get(name);
    const button = this.buttons.get(name);
    if (card === undefined || button === undefined) return;
    if (!card.playable) {
      attract(button, "shake");
      this.refuse(card);
    } else if (settings.singleTap || this.raised === name) {
      this.raised = null;
      this.play(name);
    } else {
      this.raise(name);
      if (settings.tapsExplained) return;
      change({ tapsExplained: true });
      alertUser("Press again to play it, or drag it up.");
    }
  }

  /** @param {number} name a card that was dragged onto the table @returns {boolean} whether it is played */
  drop(name) {
    const card = this.cards.get(name);
    if (card?.playable) {
      this.raised = null;
      this.play(name);
    } else if (card !== undefined) this.refuse(card);
    return card?.playable === true;
  }

  /** @param {number | null} name the card to raise; null lowers the raised one */
  raise(name) {
    this.raised = name;
    for (const [other, button] of this.buttons) {
      const card = this.cards.get(other);
      if (card !== undefined) this.update(button, card);
    }
  }

  /**
   * Move the focus with the arrow keys.
   *
   * @param {KeyboardEvent} event
   */
  move(event) {
    if (event.key === "Escape") this.raise(null);
    const buttons = this.inOrder();
    const place = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const target = { ArrowLeft: Math.max(place, 0) - 1, ArrowRight: place + 1, Home: 0, End: buttons.length - 1 }[
      event.key
    ];
    if (target === undefined || buttons.length === 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.focus((target + buttons.length) % buttons.length);
  }

  /** @param {number} place the button that gets the focus */
  focus(place) {
    const buttons = this.inOrder();
    buttons[Math.min(place, buttons.length - 1)]?.focus();
  }
}

/**
 * Return a hand in the order of the settings.
 *
 * @param {HandCard[]} hand
 * @param {number} trump
 * @returns {HandCard[]}
 */
export function inOrder(hand, trump) {
  const cards = new Map(hand.map((card) => [card.card, card]));
  const sorted = sortCards([...cards.keys()], suitOrder(settings.suits, trump));
  return sorted.map((card) => /** @type {HandCard} */ (cards.get(card)));
}
