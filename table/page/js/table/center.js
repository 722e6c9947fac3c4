// @ts-check
/** The middle of the table: stock and face-up cards, the trick, and the last trick. */

import { NO_CARD } from "../../engine/cards.js";
import { cardName } from "../../game/deal/words.js";
import { byId, fill, h } from "../dom.js";
import { picture } from "./card.js";
import { openLog } from "./log.js";

/** @typedef {import("./state.js").Shown} Shown */
/** @typedef {import("../../game/types.js").Session} Session */
/** @typedef {import("../../game/types.js").Side} Side */

/**
 * Show the stock. Face-up cards that can be picked are left out: they are buttons.
 *
 * @param {Shown} shown
 * @param {HTMLElement} openCards where the cards are that you pick from
 */
export function showStock(shown, openCards) {
  const element = byId("stock");
  const { position } = shown;
  const picking = position.decision?.kind === "pick" && !shown.waiting;
  element.style.setProperty("--count", String(Math.max(position.faceUp.length, 1)));
  if (position.stage === "endgame") {
    const discarded = position.discarded.map((card) => picture(card, cardName(card)));
    fill(
      element,
      ...(discarded.length > 0
        ? [h("p", { class: "caption" }, "Out of play"), h("div", { class: "discarded" }, ...discarded)]
        : []),
    );
    return;
  }
  const hidden = position.stock - position.faceUp.length;
  const pile = h("div", { class: "pile" });
  for (let layer = 0; layer < Math.min(Math.ceil(hidden / 5), 4); layer += 1) {
    const back = picture(NO_CARD, null, "layer");
    back.style.setProperty("--layer", String(layer));
    pile.append(back);
  }
  const faces = position.faceUp.map((card) => picture(card, `${cardName(card)}, face up`, "prize"));
  openCards.hidden = !picking;
  const focused = openCards.contains(document.activeElement)
    ? /** @type {HTMLElement} */ (document.activeElement)
    : null;
  fill(
    element,
    h("div", { class: "stock-cards" }, hidden > 0 && pile, ...(picking ? [] : faces), openCards),
    h(
      "p",
      { class: "caption" },
      h("b", {}, position.stock),
      position.stock === 1 ? " card in the stock" : " cards in the stock",
    ),
  );
  focused?.focus(); // it has been moved
}

/**
 * @param {Shown} shown
 * @param {Session} session
 */
export function showTrick(shown, session) {
  const { trick, winner, position } = shown;
  const last = position.lastTrick;
  const name = (/** @type {Side} */ side) => (side === "you" ? "You" : session.agent.title);
  const cards = /** @type {Side[]} */ (["opponent", "you"]).map((side) => {
    const card = trick[side];
    const slot = h("div", { class: `slot ${side}` });
    if (card !== null) {
      const node = picture(card, `${name(side)}: ${cardName(card)}`, winner === side ? "winning" : "");
      slot.append(node);
    }
    return slot;
  });
  fill(byId("trick"), ...cards);
  fill(byId("last"), ...(last === null ? [] : lastTrick(last, name)));
}

/**
 * @param {import("../../game/types.js").LastTrick} last
 * @param {(side: Side) => string} name
 * @returns {HTMLElement[]}
 */
function lastTrick(last, name) {
  const side = last.winner;
  const other = side === "you" ? "opponent" : "you";
  return [
    h(
      "div",
      { class: "last-cards" },
      picture(last.cards[other], cardName(last.cards[other])),
      picture(last.cards[side], `${cardName(last.cards[side])}, the winning card`, "winning"),
    ),
    h(
      "button",
      { class: "caption", title: "What happened", onclick: openLog },
      "Last trick",
      h("br"),
      `${name(side)} won`,
    ),
  ];
}
