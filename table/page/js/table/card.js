// @ts-check
/** Pictures of cards: images made from the file of all cards, `cards.svg`. */

import { cardText, NO_CARD, SUITS, suitOf } from "../../engine/cards.js";
import { part } from "../../game/data.js";
import { h } from "../dom.js";
import { settings } from "../settings.js";

/** @typedef {Pick<import("../settings.js").Settings, "faces" | "back" | "backColor">} Look */

/** Classic pips and figures cannot be read on a card of less than 60 pixels, which shows the modern face. */
const SMALL =
  "<style>@media (min-width: 60px) { .small { display: none } } @media (max-width: 59.99px) { .large { display: none } }</style>";

const SUIT_COLORS = ["--black", "--red", "--red", "--black"];

/** @type {Document} the file of all cards */
let file;

/** @type {Map<string, string>} addresses of images, by symbol and colour */
const images = new Map();

/** @type {Map<string, string>} values of custom properties, kept because asking forces a layout */
const colors = new Map();

export async function loadCards() {
  const text = await (await part("cards.svg")).text();
  file = new DOMParser().parseFromString(text, "image/svg+xml");
}

/** @param {number} suit @returns {string} its shape, as the data of a path */
export function suitPath(suit) {
  return element(`suit-${SUITS[suit]}`).getAttribute("d") ?? "";
}

/** @param {string} id @returns {Element} */
function element(id) {
  const found = file.getElementById(id);
  if (found === null) throw new Error(`no ${id} among the cards`);
  return found;
}

/**
 * Return the address of a card's image. A card has up to 100 shapes, which the browser would style one by one, every time
 * that the card is drawn, if they were elements of the page.
 *
 * @param {number} card `NO_CARD` for the back
 * @param {Look} look
 * @returns {string}
 */
function image(card, { faces, back, backColor }) {
  const isBack = card === NO_CARD;
  const suit = suitOf(card);
  const modern = `modern-${cardText(card)}`;
  const symbol = isBack ? `back-${back}` : faces === "classic" ? `classic-${cardText(card)}` : modern;
  const color = isBack ? `--back-${backColor}` : faces === "four-colour" ? `--suit-${SUITS[suit]}` : SUIT_COLORS[suit];
  const key = `${symbol} ${color}`;
  const known = images.get(key);
  if (known !== undefined) return known;
  const value = colors.get(color) ?? getComputedStyle(document.documentElement).getPropertyValue(color).trim();
  colors.set(color, value);
  const use = (/** @type {string} */ id, kind = "") => `<defs>${parts(id)}</defs><use class="${kind}" href="#${id}"/>`;
  const drawn = symbol.startsWith("classic") ? SMALL + use(modern, "small") + use(symbol, "large") : use(symbol);
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 140" color="${value}">${drawn}</svg>`;
  const address = `data:image/svg+xml,${encodeURIComponent(text)}`;
  images.set(key, address);
  return address;
}

/** @param {string} symbol @returns {string} its markup, and that of everything that it refers to */
function parts(symbol) {
  /** @type {Map<string, string>} */
  const found = new Map();
  /** @param {string} id */
  const add = (id) => {
    if (found.has(id)) return;
    const text = new XMLSerializer().serializeToString(element(id));
    found.set(id, text);
    for (const [, other] of text.matchAll(/(?:href="|url\()#([\w-]+)/g)) add(other);
  };
  add(symbol);
  return [...found.values()].join("");
}

/**
 * Return the drawing of a card. It follows the settings, unless it is given a look of its own.
 *
 * @param {number} card `NO_CARD` for the back
 * @param {Look} [look]
 * @returns {HTMLElement}
 */
export function drawing(card, look) {
  return h("img", {
    class: "drawing",
    alt: "",
    draggable: "false",
    src: image(card, look ?? settings),
    "data-card": look === undefined ? card : null,
  });
}

/**
 * Return a card that is only looked at.
 *
 * @param {number} card `NO_CARD` for the back
 * @param {string | null} [name] a name for screen readers; without one they pass over it
 * @param {string} [kind] further classes
 * @returns {HTMLElement}
 */
export function picture(card, name = null, kind = "") {
  const attributes = name === null ? { "aria-hidden": "true" } : { role: "img", "aria-label": name };
  return h("div", { class: `card ${kind}`, ...attributes }, drawing(card));
}

/**
 * Return pictures of cards that are to lie in a place. Those that lie there already are used again: a new image costs most
 * of the time in which the table is drawn.
 *
 * @param {Element} place
 * @param {[card: number, name?: string | null, kind?: string][]} cards what `picture` takes
 * @returns {HTMLElement[]} elements in this order
 */
export function pictures(place, cards) {
  const there = /** @type {HTMLElement[]} */ ([...place.children]);
  return cards.map(([card, name = null, kind = ""]) => {
    const key = `${card} ${name} ${kind}`;
    const known = there.findIndex((one) => one.dataset.picture === key);
    if (known >= 0) return there.splice(known, 1)[0];
    const made = picture(card, name, kind);
    made.dataset.picture = key;
    return made;
  });
}

/** Draw every card again, after the settings of faces or backs have changed. */
export function redrawCards() {
  for (const picture of document.querySelectorAll("img[data-card]")) {
    picture.setAttribute("src", image(Number(picture.getAttribute("data-card")), settings));
  }
}
