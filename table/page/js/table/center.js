// @ts-check
/** The middle of the table: stock and face-up cards, the trick, and the last trick. */

import { NO_CARD } from "../../engine/cards.js";
import { cardName } from "../../game/deal/words.js";
import { byId, h, reconcile, write } from "../dom.js";
import { pictures } from "./card.js";
import { openLog } from "./log.js";

/** @typedef {import("./state.js").Shown} Shown */
/** @typedef {import("../../game/types.js").Session} Session */
/** @typedef {import("../../game/types.js").Side} Side */

const pile = h("div", { class: "pile" });
const stockCards = h("div", { class: "stock-cards" });
const stockCount = h("b");
const stockWords = h("span");
const stock = [stockCards, h("p", { class: "caption" }, stockCount, stockWords)];
const discards = h("div", { class: "discarded fan" });
const outOfPlay = [h("p", { class: "caption" }, "Out of play"), discards];
const slots = { opponent: h("div", { class: "slot opponent" }), you: h("div", { class: "slot you" }) };
const lastCards = h("div", { class: "last-cards fan" });
const lastWinner = h("span");
const last = [
  lastCards,
  h("button", { class: "caption", title: "What happened", onclick: openLog }, "Last trick", h("br"), lastWinner),
];

/**
 * Show the stock. Face-up cards that can be picked are left out: they are buttons.
 *
 * @param {Shown} shown
 * @param {HTMLElement} openCards where the cards are that you pick from
 */
export function showStock(shown, openCards) {
  const element = byId("stock");
  const { position } = shown;
  element.style.setProperty("--count", String(Math.max(position.faceUp.length, 1)));
  if (position.stage === "endgame") {
    reconcile(
      discards,
      pictures(
        discards,
        position.discarded.map((card) => [card, cardName(card)]),
      ),
    );
    reconcile(element, position.discarded.length > 0 ? outOfPlay : []);
    return;
  }
  const hidden = position.stock - position.faceUp.length;
  const layers = Math.min(Math.ceil(hidden / 5), 4);
  reconcile(pile, pictures(pile, Array(layers).fill([NO_CARD, null, "layer"])));
  [...pile.children].forEach((back, layer) =>
    /** @type {HTMLElement} */ (back).style.setProperty("--layer", `${layer}`),
  );
  const picking = position.decision?.kind === "pick" && !shown.waiting;
  const faces = picking ? [] : position.faceUp;
  const prizes = pictures(
    stockCards,
    faces.map((card) => [card, `${cardName(card)}, face up`, "prize"]),
  );
  openCards.hidden = !picking;
  reconcile(stockCards, [...(hidden > 0 ? [pile] : []), ...prizes, openCards]);
  write(stockCount, position.stock);
  write(stockWords, position.stock === 1 ? " card in the stock" : " cards in the stock");
  reconcile(element, stock);
}

/**
 * @param {Shown} shown
 * @param {Session} session
 */
export function showTrick(shown, session) {
  const { trick, winner, position } = shown;
  const name = (/** @type {Side} */ side) => (side === "you" ? "You" : session.agent.title);
  for (const side of /** @type {Side[]} */ (["opponent", "you"])) {
    const [slot, card] = [slots[side], trick[side]];
    reconcile(slot, pictures(slot, card === null ? [] : [[card, `${name(side)}: ${cardName(card)}`]]));
    slot.firstElementChild?.classList.toggle("winning", winner === side);
  }
  reconcile(byId("trick"), [slots.opponent, slots.you]);
  reconcile(byId("last"), position.lastTrick === null ? [] : last);
  if (position.lastTrick === null) return;
  const { winner: side, cards } = position.lastTrick;
  const other = side === "you" ? "opponent" : "you";
  const lying = pictures(lastCards, [
    [cards[other], cardName(cards[other])],
    [cards[side], `${cardName(cards[side])}, the winning card`, "winning"],
  ]);
  reconcile(lastCards, lying);
  write(lastWinner, `${name(side)} won`);
}
