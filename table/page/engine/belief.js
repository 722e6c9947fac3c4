// @ts-check
/** Exact beliefs about the opponent's suits over all hands consistent with a view, each equally likely (`agents/inference/suit_lengths.py`). */

import { kernels } from "./kernels.js";

/** @import { Game } from "./rules.js" */
/** @import { View } from "./view.js" */

/**
 * @param {Game} game
 * @param {View} view
 * @returns {{expected: number[], void: number[]}} by suit: the expected number of cards, and the chance that there are none
 */
export function beliefOf(game, view) {
  const { call, records } = kernels.rules;
  call.believe(records.rules.write(game), records.view.write(view), records.handCounts.at, records.belief.at);
  return records.belief.read();
}
