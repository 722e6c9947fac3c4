// @ts-check
/**
 * `greedy`: wins a trick as cheaply as possible if it wants the prize, and discards its worst card otherwise
 * (`agents/bots/greedy_kernels.py`).
 */

import { cardsOf, isEmpty, lowest, popcount, suitOf } from "./cards.js";
import { beats, KEEP, LEAVE, SWAP, TAKE } from "./state.js";

/** @import { Mask } from "./cards.js" */
/** @import { View } from "./view.js" */

const GOOD_RANK = 8; // the bot wants plain cards from the ten up, and all trumps
const GOOD_LOW_RANK = 4; // in a low deal: plain cards up to the six

/** Whether the bot wants to win a trick for a card. @param {number} card @param {View} view */
function isGood(card, { trump, low }) {
  if (low) return suitOf(card) !== trump && card % 13 <= GOOD_LOW_RANK;
  return suitOf(card) === trump || card % 13 >= GOOD_RANK;
}

/**
 * Order cards from bad to good: by rank, trumps above plain suits; reversed in a low deal.
 *
 * @param {number} card
 * @param {View} view
 */
function keepValue(card, { trump, low }) {
  const rank = card % 13;
  const value = suitOf(card) === trump ? rank + 13 : rank;
  return low ? -value : value;
}

/** The best card of a mask, −1 when it is empty. @param {Mask} cards @param {View} view */
function bestOf(cards, view) {
  let best = -1;
  for (const card of cardsOf(cards)) if (best < 0 || keepValue(card, view) > keepValue(best, view)) best = card;
  return best;
}

/**
 * Whether the bot wants this trick: any trick that counts (none in a low endgame), else a good prize.
 *
 * @param {View} view
 */
function wantsTrick(view) {
  if (view.stock === 0) return view.low === 0;
  if (view.allCount) return true;
  return !isEmpty(view.faceUp) && isGood(bestOf(view.faceUp, view), view);
}

/** @param {Mask} cards @param {View} view @returns {number} how many of them are good */
const goodCards = (cards, view) => cardsOf(cards).filter((card) => isGood(card, view)).length;

/** Decide without playing a card: pick the best face-up card, take a good prize, keep an average hand or better. @param {View} view */
function optionAction(view) {
  if (!view.legal[4]) return bestOf(view.legal, view);
  if (!isEmpty(view.faceUp)) return isGood(lowest(view.faceUp), view) ? TAKE : LEAVE;
  const fair = goodCards(view.unseen, view) / popcount(view.unseen);
  return goodCards(view.hand, view) >= fair * popcount(view.hand) ? KEEP : SWAP;
}

/** The card that the bot plays. @param {View} view */
function greedyCard(view) {
  const wanted = wantsTrick(view);
  const avoidsTricks = view.low && view.stock === 0;
  let best = -1;
  let bestScore = -1000;
  for (const card of cardsOf(view.legal)) {
    const rank = card % 13;
    const wins = view.led >= 0 && beats(card, view.led, view.trump);
    let score;
    // Lead low; follow with the highest losing card, or with the highest card when all of them win.
    if (avoidsTricks) score = view.led < 0 ? -rank : wins ? rank - 100 : rank;
    else if (wanted && view.led < 0) score = rank; // the highest card
    else score = -keepValue(card, view) + (wanted && wins ? 100 : 0); // win cheaply or discard: 100 outweighs any keep value
    if (score > bestScore) [best, bestScore] = [card, score];
  }
  return best;
}

/** @param {View} view of a seat to act @returns {number} the greedy bot's action */
export const greedyAction = (view) => (view.choice ? optionAction(view) : greedyCard(view));
