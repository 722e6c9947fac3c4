// @ts-check
/**
 * `heuristic`: the textbook bot. Perfect memory and the strategy of the books, as weighted quantities
 * (`agents/bots/heuristic/bot_kernels.py`).
 */

import { cardsOf, countBits, isEmpty, lowest, maskOf, popcount, suitOf, union, withCard, withoutCard } from "../cards.js";
import { beats, KEEP, LEAVE, SWAP, TAKE } from "../state.js";
import { above, below, bestCard, cardValue, lengthValue, meanCardValue, rankValue, rivalsOf, shareLeft, valueRow } from "./card_values.js";
import { endgameCard, heldUnseen } from "./endgame.js";

/** @import { Mask } from "../cards.js" */
/** @import { View } from "../view.js" */

const PRIZE_WEIGHT = 4.8; // weight of a prize relative to the card spent on it
const DUCK_WEIGHT = 1.3; // extra weight of a prize that neither player wants
const RUFF_CHANCE = 0.4; // assumed chance that an opponent who can ruff does
const RACE_TRICK_WEIGHT = 2.0; // weight of a counted trick in a race, which may end before high cards pay off
const FORCED_CARD_WEIGHT = 0.15; // share of the value of the card that the opponent must spend to win

/**
 * @param {View} view
 * @returns {number} the size of a full hand; between a trick and the draw this hand is one card short
 */
const fullHand = (view) => popcount(view.hand) + (view.choice && view.stock > 0 ? 1 : 0);

/**
 * @param {View} view
 * @param {Mask} unplayed
 * @returns {number} the weighted gain of winning this foreplay trick over losing it
 */
function prizeGain(view, unplayed) {
  const own = view.hand, size = fullHand(view), trump = view.trump, low = view.low !== 0;
  if (isEmpty(view.faceUp)) return PRIZE_WEIGHT * view.allCount; // both draw unseen
  const prize = bestCard(view.faceUp, own, size, unplayed, trump, low);
  const prizeValue = cardValue(prize, withCard(own, prize), size, unplayed, trump, low);
  const left = withoutCard(view.faceUp, prize);
  let otherValue;
  if (view.stock > popcount(view.faceUp)) otherValue = meanCardValue(view.unseen, own, size, unplayed, trump, low);
  else {
    const other = bestCard(left, own, size, unplayed, trump, low);
    otherValue = cardValue(other, withCard(own, other), size, unplayed, trump, low);
  }
  let difference = prizeValue - otherValue;
  if (view.draft) difference = Math.abs(difference);
  return PRIZE_WEIGHT * (difference + (view.race ? RACE_TRICK_WEIGHT : 1.0) * view.allCount);
}

/**
 * Decide without playing a card: pick the best one, take a prize above average, keep a hand above a blind one.
 *
 * @param {View} view
 * @param {Mask} unplayed
 */
function optionAction(view, unplayed) {
  const own = view.hand, size = fullHand(view), trump = view.trump, low = view.low !== 0;
  if (!view.legal[4]) return bestCard(view.legal, own, size, unplayed, trump, low);
  if (isEmpty(view.faceUp)) return strength(own, size, unplayed, trump, low) >= blindStrength(view, unplayed) ? KEEP : SWAP;
  const prize = lowest(view.faceUp);
  const prizeValue = cardValue(prize, withCard(own, prize), size, unplayed, trump, low);
  return prizeValue >= meanCardValue(view.unseen, own, size, unplayed, trump, low) ? TAKE : LEAVE;
}

/**
 * @param {Mask} hand
 * @param {number} size
 * @param {Mask} unplayed
 * @param {number} trump
 * @param {boolean} low
 * @returns {number} the sum of its card values, in tricks
 */
function strength(hand, size, unplayed, trump, low) {
  let total = 0.0;
  for (const card of cardsOf(hand)) total += cardValue(card, hand, size, unplayed, trump, low);
  return total;
}

/** @param {View} view @param {Mask} unplayed @returns {number} the strength of a hand of unseen cards: the mean over hands dealt evenly from them */
function blindStrength(view, unplayed) {
  const size = popcount(view.hand), unseen = cardsOf(view.unseen);
  const step = Math.floor(unseen.length / size);
  let total = 0.0;
  for (let first = 0; first < step; first++) {
    const hand = unseen.filter((_, place) => place % step === first).slice(0, size);
    total += strength(maskOf(hand), size, unplayed, view.trump, view.low !== 0);
  }
  return step === 0 ? 0.0 : total / step;
}

/**
 * @param {View} view
 * @param {number} suit
 * @returns {number} the chance that the opponent holds a given unseen card of a suit
 */
function chanceHeld(view, suit) {
  const unseen = popcount(view.unseen);
  if (unseen === 0) return 0.0;
  const hidden = heldUnseen(view);
  let chance = hidden / unseen;
  if (view.voidOpponent[suit] > 0) chance *= Math.min(1.0, view.drawnOpponent[suit] / Math.max(hidden, 1));
  return chance;
}

/**
 * @param {View} view
 * @param {number} suit
 * @param {number} cards of the suit
 * @param {number} held chance for each unseen one
 * @returns {number} the chance that the opponent holds none of them
 */
function chanceNone(view, suit, cards, held) {
  if (cards & view.opponentKnown[suit]) return 0.0;
  return power(1.0 - held, countBits(cards & view.unseen[suit]));
}

/**
 * @param {number} base
 * @param {number} exponent an integer from 0 to 15
 * @returns {number} the power, multiplied in the order of Python's `power`, so that both round alike
 */
function power(base, exponent) {
  const square = base * base;
  const fourth = square * square;
  let result = exponent & 1 ? base : 1.0;
  result *= exponent & 2 ? square : 1.0;
  result *= exponent & 4 ? fourth : 1.0;
  return result * (exponent & 8 ? fourth * fourth : 1.0);
}

/**
 * Choose as follower in the foreplay: the outcome of each card is known, so weigh it against the card's value.
 *
 * @param {View} view
 * @param {Mask} unplayed
 */
function followCard(view, unplayed) {
  const gain = prizeGain(view, unplayed);
  const size = fullHand(view), low = view.low !== 0;
  const share = shareLeft(popcount(view.hand), unplayed);
  let best = -1;
  let bestValue = -1e9;
  for (let suit = 0; suit < 4; suit++) {
    let mask = view.legal[suit];
    if (!mask) continue;
    const row = valueRow(suit, view.trump, low);
    const length = lengthValue(countBits(view.hand[suit]), size, row);
    const notHeld = unplayed[suit] & ~view.hand[suit];
    let before = -1;
    for (; mask; mask &= mask - 1) {
      const card = 13 * suit + 31 - Math.clz32(mask & -mask);
      const rivals = countBits(notHeld & rivalsOf(card, low));
      if (rivals === before) continue; // equivalent to the card before: no card outside this hand lies between them
      before = rivals;
      let value = -(rankValue(rivals, share, row) + length);
      if (beats(card, view.led, view.trump)) value += gain;
      if (value > bestValue) [best, bestValue] = [card, value];
    }
  }
  return best;
}

/**
 * The value to the opponent of the lowest card that may beat a led card by rank; 0 when there is none.
 *
 * @param {View} view what the leader knows
 * @param {number} card the card led
 * @param {Mask} unplayed all cards not played yet
 * @param {number} share share of the beater's rivals that will still be unplayed in the endgame
 * @param {number} size cards in a full hand
 * @param {number} row of the card values for this suit
 */
function beaterValue(view, card, unplayed, share, size, row) {
  const suit = suitOf(card), known = view.opponentKnown[suit];
  const higher = above(card) & (view.unseen[suit] | known);
  if (!higher) return 0.0;
  const beater = higher & -higher;
  const length = countBits(known | beater);
  const rivals = countBits(unplayed[suit] & rivalsOf(31 - Math.clz32(beater), view.low !== 0) & ~known);
  return rankValue(rivals, share, row) + lengthValue(length, size, row);
}

/**
 * Choose as leader in the foreplay. The opponent is taken to beat the card for a wanted prize whenever it can, and to
 * win an unwanted prize only when forced to.
 *
 * @param {View} view
 * @param {Mask} unplayed
 */
function leadCard(view, unplayed) {
  const gain = prizeGain(view, unplayed);
  const size = fullHand(view), low = view.low !== 0, trump = view.trump;
  const share = shareLeft(popcount(view.hand), unplayed);
  const theirShare = shareLeft(popcount(view.opponentKnown), unplayed);
  const noTrump = trump >= 0 ? chanceNone(view, trump, 0x1fff, chanceHeld(view, trump)) : 1.0;
  let best = -1;
  let bestValue = -1e9;
  for (let suit = 0; suit < 4; suit++) {
    let mask = view.legal[suit];
    if (!mask) continue;
    const row = valueRow(suit, trump, low);
    const length = lengthValue(countBits(view.hand[suit]), size, row);
    const notHeld = unplayed[suit] & ~view.hand[suit];
    const held = chanceHeld(view, suit);
    const ruffed = suit === trump ? 0.0 : RUFF_CHANCE * chanceNone(view, suit, 0x1fff, held) * (1.0 - noTrump);
    let before = -1;
    for (; mask; mask &= mask - 1) {
      const card = 13 * suit + 31 - Math.clz32(mask & -mask);
      const rivals = countBits(notHeld & rivalsOf(card, low));
      if (rivals === before) continue; // equivalent to the card before: no card outside this hand lies between them
      before = rivals;
      let value = -(rankValue(rivals, share, row) + length);
      const noHigher = chanceNone(view, suit, above(card), held);
      if (gain > 0) {
        const loses = (1.0 - noHigher) + ruffed;
        value += gain * (1.0 - loses) + FORCED_CARD_WEIGHT * loses * beaterValue(view, card, unplayed, theirShare, size, row);
      } else {
        const mustWin = chanceNone(view, suit, below(card), held) * (1.0 - noHigher);
        value += DUCK_WEIGHT * gain * (1.0 - mustWin);
      }
      if (value > bestValue) [best, bestValue] = [card, value];
    }
  }
  return best;
}

/** @param {View} view of a seat to act @returns {number} the textbook bot's action */
export function heuristicAction(view) {
  if (popcount(view.legal) === 1) return lowest(view.legal);
  const unplayed = union(union(view.hand, view.unseen), union(view.opponentKnown, view.faceUp));
  if (view.choice) return optionAction(view, unplayed);
  if (view.stock === 0) return endgameCard(view);
  if (view.led < 0) return leadCard(view, unplayed);
  return followCard(view, withCard(unplayed, view.led));
}
