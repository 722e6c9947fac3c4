// @ts-check
/** Perfect play of endgames with open hands: the exact margin of each card, and which one to play (`agents/endgame/open_hands_kernels.py`). */

import { kernels } from "./kernels.js";

/** @import { View } from "./view.js" */

const NOT_LEGAL_MARGIN = -128;

/**
 * The margin of the whole deal after each legal card, with perfect play by both seats from then on.
 *
 * @param {View} view one in which `opponentHandKnown` is true
 * @returns {Map<number, number>} keys: cards, lowest first
 */
export function exactMargins(view) {
  const { call, records, memory } = kernels.bots;
  call.solve_cards(records.view.write(view), records.solver.at);
  const margins = new Int8Array(memory, records.solver.field.margins, 52);
  return new Map([...margins.entries()].filter(([, margin]) => margin !== NOT_LEGAL_MARGIN));
}

/** @param {View} view one in which `opponentHandKnown` is true @returns {number} the card that the seat to act plays: perfect for the margin */
export function bestCard(view) {
  const { call, records } = kernels.bots;
  return call.best_card(records.view.write(view), records.solver.at);
}
