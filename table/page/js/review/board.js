// @ts-check
/** A position of a finished deal, all hands open or but one. */

import { settings } from "../settings.js";
import { h } from "../dom.js";
import { SUIT_NAMES, SUIT_SIGNS, cardName, counted, sortCards, suitOrder } from "../words.js";
import { picture } from "../table/card.js";

/**
 * @param {import("../../game/types.js").OpenPosition} position
 * @param {{names: Record<string, string>, trump: string | null, move: import("../../game/types.js").Move | import("../../game/types.js").WatchMove | null, covered?: boolean}} about
 *   `move`: the one that is played from here; `covered`: the opponent's hand and the stock lie face down
 * @returns {HTMLElement}
 */
export function board(position, { names, trump, move, covered = false }) {
  const better = move !== null && "best" in move && move.best !== move.action ? move.best : null;
  const order = suitOrder(settings.suits, trump);
  const hand = (/** @type {"you" | "opponent"} */ side) => {
    const down = covered && side === "opponent";
    const cards = sortCards(position[side], order);
    const row = h("div", { class: "open-hand", role: "list", "aria-label": `Hand: ${names[side]}` }, ...cards.map((card) => {
      if (down) return h("div", { role: "listitem" }, picture("", "face down"));
      const played = move !== null && move.by === side && move.action === card;
      const isBetter = move !== null && move.by === side && better === card;
      const kind = [played && (better === null ? "chosen" : "chosen costly"), isBetter && "better"].filter(Boolean).join(" ");
      return h("div", { role: "listitem" }, picture(card, `${cardName(card)}${played ? ", played" : ""}${isBetter ? ", better" : ""}`, kind));
    }));
    return h(
      "div",
      { class: `open-side${position.turn === side ? " turn" : ""}` },
      h("p", {}, h("strong", {}, names[side]), ` ${counted(position.tricks[side], "trick")}`, position.score[side] === position.tricks[side] ? "" : `, ${position.score[side]} counted`),
      row,
    );
  };
  const stock = covered ? [] : position.stock.map((card) => picture(card, cardName(card)));
  return h(
    "div",
    { class: "board" },
    hand("opponent"),
    h(
      "div",
      { class: "board-middle" },
      h("div", {}, h("p", {}, trump === null ? "No trumps" : `Trumps ${SUIT_SIGNS[trump]} ${SUIT_NAMES[trump]}`)),
      position.face_up.length > 0 && h("div", {}, h("p", {}, "Face up"), h("div", { class: "row" }, ...position.face_up.map((card) => picture(card, cardName(card))))),
      position.led !== null && h("div", {}, h("p", {}, `Led by ${names[position.led.by]}`), h("div", { class: "row" }, picture(position.led.card, cardName(position.led.card)))),
      stock.length > 0 && h("div", { class: "stock-left" }, h("p", {}, "Stock, the next card first"), h("div", { class: "row tight" }, ...stock)),
    ),
    hand("you"),
  );
}
