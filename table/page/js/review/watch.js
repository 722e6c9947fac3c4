// @ts-check
/** What the agent makes of your cards, or perfect play of an endgame, move by move, compared with what you did. */

import { fill, h } from "../dom.js";
import { counted, shortName } from "../words.js";
import { openDialog } from "../dialogs/dialog.js";
import { board } from "./board.js";
import { Steps } from "./steps.js";

/**
 * @param {import("../../game/types.js").Watch} watch
 * @param {{title: string, close?: () => void}} look
 */
export function openWatch(watch, { title, close = () => {} }) {
  const boardPlace = h("div", { class: "board-place" });
  const text = h("p", { class: "watch-text", "aria-live": "polite" });
  const { names, trump } = watch;
  const steps = new Steps(watch.moves.length, (place) => {
    const move = watch.moves[place] ?? null;
    fill(boardPlace, board(watch.positions[place], { names, trump, move }));
    fill(text, words(move, watch));
  });
  const { you, agent } = watch.compare;
  const dialog = openDialog(
    title,
    [
      h("p", { class: "review-result" }, `You took ${counted(you, "trick")}. ${watch.title}: ${agent}.`),
      steps.element,
      text,
      boardPlace,
    ],
    { kind: "full", onclose: close },
  );
  dialog.addEventListener("keydown", (event) => steps.key(event));
  const parted = watch.moves.findIndex((move) => move.yours !== null && move.yours !== move.action);
  steps.go(Math.max(parted, 0));
}

/** @param {import("../../game/types.js").WatchMove | null} move @param {import("../../game/types.js").Watch} watch @returns {string} */
function words(move, watch) {
  if (move === null) return `The end: ${watch.result.text}.`;
  if (move.yours === null) return move.text;
  return move.yours === move.action ? `${move.text} So did you.` : `${move.text} You played ${shortName(move.yours)}.`;
}
