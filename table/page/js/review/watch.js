// @ts-check
/** How another player plays your cards, or perfect play of an endgame, compared with what you did. */

import { countText } from "../../game/wording.js";
import { actionText } from "../coach/bars.js";
import { openDialog } from "../dialogs/dialog.js";
import { fill, h } from "../dom.js";
import { isCard, shortName } from "../words.js";
import { board } from "./board.js";
import { Steps } from "./steps.js";

/**
 * @param {import("../../game/types.js").Watch} watch
 * @param {{title: string, close?: () => void}} look
 */
export function openWatch(watch, { title, close = () => {} }) {
  const boardBox = h("div", { class: "board-box" });
  const text = h("p", { class: "watch-text", "aria-live": "polite" });
  const { names, trump } = watch;
  const steps = new Steps(watch.moves.length, (place) => {
    const move = watch.moves[place] ?? null;
    fill(boardBox, board(watch.positions[place], { names, trump, move }));
    fill(text, words(move, watch));
  });
  const { you, other } = watch.compare;
  const dialog = openDialog(
    title,
    [
      h("p", { class: "review-result" }, `You took ${countText(you, "trick")}. ${watch.title}: ${other}.`),
      steps.element,
      text,
      boardBox,
      h("details", {}, h("summary", {}, "Trick by trick"), trickTable(watch)),
    ],
    { kind: "full", onclose: close },
  );
  dialog.addEventListener("keydown", (event) => steps.key(event));
  steps.go(watch.parted);
}

/** @param {import("../../game/types.js").Watch} watch @returns {HTMLElement} every trick of both deals: the card of that seat, the opponent's, and who won */
function trickTable({ title, tricks: { other, yours } }) {
  const cell = (/** @type {import("../../game/types.js").PlayedTrick | undefined} */ trick) =>
    h(
      "td",
      {},
      ...(trick === undefined
        ? ["–"]
        : [
            actionText(trick.cards.you),
            " to ",
            actionText(trick.cards.opponent),
            trick.winner === "you" ? ": won" : ": lost",
          ]),
    );
  const rows = Array.from({ length: Math.max(other.length, yours.length) }, (_, place) =>
    h("tr", {}, h("th", { scope: "row" }, place + 1), cell(yours[place]), cell(other[place])),
  );
  const head = (/** @type {string} */ words) => h("th", { scope: "col" }, words);
  return h(
    "table",
    { class: "plain" },
    h("thead", {}, h("tr", {}, head("Trick"), head("You"), head(title))),
    h("tbody", {}, ...rows),
  );
}

/** @param {import("../../game/types.js").WatchMove | null} move @param {import("../../game/types.js").Watch} watch @returns {string} */
function words(move, watch) {
  if (move === null) return `The end: ${watch.result.text}.`;
  if (move.yours === null) return move.text;
  return move.yours === move.action
    ? `${move.text} So did you.`
    : `${move.text} ${isCard(move.yours) ? `You played ${shortName(move.yours)}` : "You did not"}.`;
}
