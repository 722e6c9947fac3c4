// @ts-check
/** Exact beliefs about the opponent's suits over all hands consistent with a view, each equally likely (`agents/inference/suit_lengths.py`). */

import { ofSuit, popcount } from "../engine/cards.js";
import { BINOMIAL, countHands } from "./world_sampling.js";

/**
 * @param {import("../engine/rules.js").Game} game
 * @param {import("../engine/view.js").View} view
 * @returns {{expected: number[], void: number[]}} by suit: the expected number of cards, and the chance that there are none
 */
export function beliefOf(game, view) {
  const counts = countHands(game, view);
  const { held, order, limit, ways } = counts;
  const belief = { expected: [0, 0, 0, 0], void: [0, 0, 0, 0] };
  let before = Array(held + 1).fill(0); // [k]: ways to hold k cards in the suits before this one
  before[0] = 1;
  order.forEach((suit, place) => {
    const length = popcount(ofSuit(counts.cards, suit));
    const known = popcount(ofSuit(view.opponentKnown, suit));
    belief.expected[suit] = known;
    const after = Array(held + 1).fill(0);
    for (let heldBefore = 0; heldBefore <= held; heldBefore += 1) {
      const most = Math.min(length, limit[place] - heldBefore, held - heldBefore);
      for (let count = 0; count <= most; count += 1) {
        const these = before[heldBefore] * BINOMIAL[length][count];
        after[heldBefore + count] += these;
        const share = (these * ways[place + 1][heldBefore + count]) / ways[0][0];
        belief.expected[suit] += share * count;
        if (count + known === 0) belief.void[suit] += share;
      }
    }
    before = after;
  });
  return belief;
}
