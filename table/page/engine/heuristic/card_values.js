// @ts-check
/**
 * Hand evaluation of the textbook bot: the value of holding a card in the endgame, in tricks
 * (`agents/bots/heuristic/card_value_kernels.py`).
 *
 * `above`, `below` and `rivalsOf` return the cards of one suit, as an integer of 13 bits.
 */

import { cardsOf, countBits, isEmpty, popcount, suitOf, withCard } from "../cards.js";

/** @import { Mask } from "../cards.js" */

// A card's value is RANK_VALUES[row][rivals] + LENGTH_VALUES[row][length]; rows: plain suit, trump suit, and the same two
// for low deals.
const RANK_VALUES = [
  [0.50, 0.37, 0.22, 0.15, 0.10, 0.05, 0.01, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
  [1.33, 1.27, 1.15, 1.06, 1.01, 0.98, 0.95, 0.93, 0.92, 0.91, 0.90, 0.90, 0.90, 0.90, 0.90],
  [0.67, 0.35, 0.11, -0.03, -0.12, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15, -0.15],
  [0.22, -0.08, -0.37, -0.53, -0.57, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59, -0.59],
];
const LENGTH_VALUES = [
  [0.0, -0.09, 0.35, 0.52, 0.43, 0.35, 0.19, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
  [0.0, -0.66, -0.52, -0.25, 0.26, 0.62, 0.71, 0.27, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
  [0.0, -1.51, -0.35, 0.30, 0.49, 0.50, 0.37, 0.26, 0.10, 0.0, 0.0, 0.0, 0.0, 0.0],
  [0.0, -1.02, -0.02, 0.36, 0.24, 0.14, 0.09, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
];

const LENGTH_STRETCH = 2.4; // each extra card of a suit counts more in a shorter hand

/** @param {number} card @returns {number} the cards of its suit above it */
export const above = (card) => (0x1fff << ((card % 13) + 1)) & 0x1fff;

/** @param {number} card @returns {number} the cards of its suit below it */
export const below = (card) => (1 << (card % 13)) - 1;

/**
 * @param {readonly number[]} values
 * @param {number} number
 * @returns {number} linear interpolation in a row of values
 */
function interpolated(values, number) {
  const low = Math.floor(number);
  const part = number - low;
  return (1.0 - part) * values[low] + part * values[low + 1];
}

/**
 * @param {number} suit
 * @param {number} trump
 * @param {boolean} low
 * @returns {number} the row of the tables for a suit
 */
export const valueRow = (suit, trump, low) => (suit === trump ? 1 : 0) + (low ? 2 : 0);

/**
 * @param {number} length
 * @param {number} size
 * @returns {number} the length of a suit in a full hand of `size` cards, scaled to a hand of 13
 */
function fullLength(length, size) {
  if (size >= 13 || length < 2) return Math.min(length, 12.0);
  return Math.min(1.0 + (length - 1) * (1.0 + LENGTH_STRETCH * (13.0 / size - 1.0)), 12.0);
}

/**
 * @param {number} length
 * @param {number} size
 * @param {number} row
 * @returns {number} the part of a card's value that depends on the length of its suit
 */
export const lengthValue = (length, size, row) => interpolated(LENGTH_VALUES[row], fullLength(length, size));

/**
 * @param {number} rivals
 * @param {number} share
 * @param {number} row
 * @returns {number} the part that depends on its rivals, of which only a share stays in play
 */
export const rankValue = (rivals, share, row) => interpolated(RANK_VALUES[row], rivals * share);

/**
 * @param {number} held cards in the hand
 * @param {Mask} unplayed
 * @returns {number} share of a card's rivals that will still be unplayed in the endgame
 */
export const shareLeft = (held, unplayed) => Math.min(1.0, (2.0 * held) / popcount(unplayed));

/**
 * @param {number} card
 * @param {boolean} low
 * @returns {number} the cards that outrank it; in a low deal, those that it outranks
 */
export const rivalsOf = (card, low) => (low ? below(card) : above(card));

/**
 * The value of holding a card in the endgame, in tricks.
 *
 * @param {number} card
 * @param {Mask} own the hand that holds the card, or would
 * @param {number} size cards in a full hand of the game
 * @param {Mask} unplayed all cards not played yet
 * @param {number} trump
 * @param {boolean} low whether the endgame is played low
 */
export function cardValue(card, own, size, unplayed, trump, low) {
  const suit = suitOf(card);
  const row = valueRow(suit, trump, low);
  const rivals = countBits(unplayed[suit] & rivalsOf(card, low) & ~own[suit]);
  const length = lengthValue(countBits(own[suit] | (1 << (card % 13))), size, row);
  return rankValue(rivals, shareLeft(popcount(own), unplayed), row) + length;
}

/**
 * The mean value of some unplayed cards to a hand that holds none of them; 0 when there are none.
 *
 * @param {Mask} cards
 * @param {Mask} own
 * @param {number} size
 * @param {Mask} unplayed
 * @param {number} trump
 * @param {boolean} low
 */
export function meanCardValue(cards, own, size, unplayed, trump, low) {
  if (isEmpty(cards)) return 0.0;
  const share = shareLeft(popcount(own) + 1, unplayed);
  let total = 0.0;
  for (let suit = 0; suit < 4; suit++) {
    const suited = unplayed[suit] & ~own[suit];
    if (!(suited & cards[suit])) continue;
    const row = valueRow(suit, trump, low);
    // Counted from 0 at the top (in a low deal, at the bottom), card n has n rivals: values are summed by that number.
    let skipped = 0; // the numbers of cards that are not among those asked for, as bits
    for (let mask = suited & ~cards[suit]; mask; mask &= mask - 1) {
      skipped |= 1 << countBits(suited & rivalsOf(31 - Math.clz32(mask & -mask), low));
    }
    for (let rivals = 0; rivals < countBits(suited); rivals++) {
      if (!((skipped >> rivals) & 1)) total += rankValue(rivals, share, row);
    }
    total += countBits(suited & cards[suit]) * lengthValue(countBits(own[suit]) + 1, size, row);
  }
  return total / popcount(cards);
}

/**
 * The card of a mask with the highest value to a hand, −1 when it is empty.
 *
 * @param {Mask} cards
 * @param {Mask} own
 * @param {number} size
 * @param {Mask} unplayed
 * @param {number} trump
 * @param {boolean} low
 */
export function bestCard(cards, own, size, unplayed, trump, low) {
  let best = -1;
  let bestValue = -1e9;
  for (const card of cardsOf(cards)) {
    const value = cardValue(card, withCard(own, card), size, unplayed, trump, low);
    if (value > bestValue) [best, bestValue] = [card, value];
  }
  return best;
}
