// @ts-check
/**
 * `greedy`: wins a trick as cheaply as possible if it wants the prize, and discards its worst card otherwise
 * (`agents/bots/greedy_kernels.py`). In a low deal low cards are the good ones, and in the endgame the bot avoids tricks.
 */

import { cardsOf, isEmpty, NUM_CARDS, rankOf, suitOf } from "./engine/cards.js";
import { beats, LEAVE, TAKE } from "./engine/state.js";

/** @typedef {import("./engine/view.js").View} View */

const GOOD_RANK = 8; // the bot wants plain cards from the ten up, and all trumps
const GOOD_LOW_RANK = 4; // in a low deal: plain cards up to the six

/** @param {number} card @param {View} view @returns {boolean} whether the bot wants to win a trick for it */
function isGood(card, { trump, low }) {
  if (low) return suitOf(card) !== trump && rankOf(card) <= GOOD_LOW_RANK;
  return suitOf(card) === trump || rankOf(card) >= GOOD_RANK;
}

/** Order cards from bad to good: by rank, trumps above plain suits; reversed in a low deal. @param {number} card @param {View} view */
function keepValue(card, { trump, low }) {
  const value = rankOf(card) + (suitOf(card) === trump ? 13 : 0);
  return low ? -value : value;
}

/** @param {number[]} cards lowest first @param {View} view @returns {number} the best of them */
const bestOf = (cards, view) => cards.reduce((best, card) => (keepValue(card, view) > keepValue(best, view) ? card : best));

/** @param {View} view @returns {boolean} any trick that counts (none in a low endgame), else a good prize */
function wantsTrick(view) {
  if (view.stock === 0) return view.low === 0;
  if (view.allCount) return true;
  return !isEmpty(view.faceUp) && isGood(bestOf(cardsOf(view.faceUp), view), view);
}

/** Decide without playing a card: pick the best face-up card, take a good prize. @param {View} view @param {number[]} legal */
function optionAction(view, legal) {
  if (legal[0] < NUM_CARDS) return bestOf(legal, view);
  return isGood(cardsOf(view.faceUp)[0], view) ? TAKE : LEAVE;
}

/** @param {View} view of a seat to act @returns {number} the greedy bot's action */
export function greedyAction(view) {
  const legal = cardsOf(view.legal);
  if (view.choice) return optionAction(view, legal);
  const wanted = wantsTrick(view);
  const avoidsTricks = view.low && view.stock === 0;
  let [best, bestScore] = [-1, -1000];
  for (const card of legal) {
    const wins = view.led >= 0 && beats(card, view.led, view.trump);
    const rank = rankOf(card);
    let score = -keepValue(card, view) + (wanted && wins ? 100 : 0); // win cheaply or discard
    if (avoidsTricks && view.led < 0) score = -rank; // lead low
    else if (avoidsTricks) score = wins ? rank - 100 : rank; // the highest losing card, or the highest when all of them win
    else if (wanted && view.led < 0) score = rank; // the highest card
    if (score > bestScore) [best, bestScore] = [card, score];
  }
  return best;
}
