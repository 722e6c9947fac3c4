// @ts-check
/** The picture of a card: a reference into the file of all cards. */

import { settings } from "../settings.js";
import { h, svg } from "../dom.js";

/** Load the file of all cards into the page, once. */
export async function loadCards() {
  const text = await (await fetch("static/cards.svg")).text();
  const cards = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  cards.setAttribute("class", "sprite");
  cards.setAttribute("aria-hidden", "true");
  document.body.prepend(document.importNode(cards, true));
}

/** @param {string} card "" for the back @returns {string} */
function symbol(card) {
  if (card === "") return `#back-${settings.back}`;
  return `#${settings.faces === "classic" ? "classic" : "modern"}-${card}`;
}

/**
 * Return the drawing of a card.
 *
 * @param {string} card "" for the back
 * @returns {SVGElement}
 */
export function drawing(card) {
  const suit = card === "" ? "suit-back" : `suit-${card[0]}`;
  const use = svg("use", { href: symbol(card), "data-card": card });
  return svg("svg", { class: `drawing ${suit}`, viewBox: "0 0 100 140", "aria-hidden": "true" }, use);
}

/**
 * Return a card that is only looked at.
 *
 * @param {string} card "" for the back
 * @param {string | null} [name] for screen readers; without one they pass over it
 * @param {string} [kind] further classes
 * @returns {HTMLElement}
 */
export function picture(card, name = null, kind = "") {
  const attributes = name === null ? { "aria-hidden": "true" } : { role: "img", "aria-label": name };
  return h("div", { class: `card ${kind}`, ...attributes }, drawing(card));
}

/** Draw every card again, after the settings of faces or backs have changed. */
export function redrawCards() {
  for (const use of document.querySelectorAll("use[data-card]")) {
    use.setAttribute("href", symbol(use.getAttribute("data-card") ?? ""));
  }
}
