// @ts-check
/** A position of a finished deal: both hands, or yours alone, and what else lay on the table. */

import { NO_CARD } from "../../engine/cards.js";
import { cardName, SUIT_NAMES } from "../../game/deal/words.js";
import { countText, YOU } from "../../game/wording.js";
import { h } from "../dom.js";
import { settings } from "../settings.js";
import { picture } from "../table/card.js";
import { SUIT_SIGNS, sortCards, suitOrder } from "../words.js";

/**
 * @param {import("../../game/types.js").OpenPosition} position
 * @param {{names: Record<string, string>, trump: number, move: import("../../game/types.js").Move | import("../../game/types.js").WatchMove | null, covered?: boolean}} about
 *   `move`: the one that is played from here; `covered`: the stock lies face down, and so do the cards of the opponent that you did not know
 * @returns {HTMLElement}
 */
export function board(position, { names, trump, move, covered = false }) {
  const better = move !== null && "best" in move && move.best !== move.action ? move.best : null;
  const order = suitOrder(settings.suits, trump);
  const hand = (/** @type {"you" | "opponent"} */ side) => {
    const down = covered && side === "opponent";
    const cards = sortCards(position[side], order);
    const marked = (/** @type {number} */ card) => {
      const isPlayed = move !== null && move.by === side && move.action === card;
      const isBetter = move !== null && move.by === side && better === card;
      if (isPlayed) return picture(card, `${cardName(card)}, played`, better === null ? "chosen" : "chosen costly");
      return picture(card, `${cardName(card)}${isBetter ? ", better" : ""}`, isBetter ? "better" : "");
    };
    const seen = down ? cards.filter((card) => position.known.includes(card)) : cards;
    const row = fan(
      names[side] === YOU ? "Your hand" : `Hand: ${names[side]}`,
      seen.map(marked),
      cards.slice(seen.length).map(() => picture(NO_CARD)),
    );
    return h(
      "div",
      { class: `open-side${position.turn === side ? " turn" : ""}` },
      h(
        "p",
        {},
        h("strong", {}, names[side]),
        ` ${countText(position.tricks[side], "trick")}`,
        position.score[side] === position.tricks[side] ? "" : `, ${position.score[side]} counted`,
      ),
      row,
    );
  };
  const part = (/** @type {string} */ title, /** @type {number[]} */ cards, kind = "") =>
    cards.length > 0 &&
    h(
      "div",
      { class: kind },
      h("p", {}, title),
      fan(
        title,
        cards.map((card) => picture(card, cardName(card))),
      ),
    );
  return h(
    "div",
    { class: "board" },
    hand("opponent"),
    h(
      "div",
      { class: "board-middle" },
      h("div", {}, h("p", {}, trump < 0 ? "No trumps" : `Trumps ${SUIT_SIGNS[trump]} ${SUIT_NAMES[trump]}`)),
      part("Face up", position.faceUp),
      position.led !== null && part(`Led by ${names[position.led.by]}`, [position.led.card]),
      part("Stock, the next card first", covered ? [] : position.stock, "stock-left"),
    ),
    hand("you"),
  );
}

/** @param {string} name @param {HTMLElement[]} cards @param {HTMLElement[]} [backs] @returns {HTMLElement} cards that lie on each other, as a list, and others face down */
function fan(name, cards, backs = []) {
  const list = cards.length > 0 ? { role: "list", "aria-label": name } : {};
  return h("div", { class: "fan", ...list }, ...cards.map((card) => h("div", { role: "listitem" }, card)), ...backs);
}
