// @ts-check
/**
 * Endgame positions: only the relative order of the cards still in play is kept
 * (`solver/tablebase/position_kernels.py`).
 *
 * Each of the four suits has a lane of 16 bits, its *word*: bit `i` stands for the `i`-th lowest card of the suit in play,
 * 1 if the leader holds it; a final 1 above the last card marks the length. Lane 0 is the trump suit in games with
 * trumps. Python's 64 bits are two halves of 32 here, lanes 0 and 1 and lanes 2 and 3; most functions take one half.
 *
 * The *bit index* of a card is 16 times its lane plus its place in the word.
 */

import { countBits } from "../cards.js";

/** @import { Mask } from "../cards.js" */

export const MAX_CARDS = 13; // in a hand, and in a suit

/** @param {number} half @returns {number} the bits of all cards in play */
export function inPlay(half) {
  // Sets every bit below the length bit, then drops the length bit; the masks keep bits in their lane.
  let bits = half | ((half >> 1) & 0x7fff7fff);
  bits |= (bits >> 2) & 0x3fff3fff;
  bits |= (bits >> 4) & 0x0fff0fff;
  bits |= (bits >> 8) & 0x00ff00ff;
  return (bits >> 1) & 0x7fff7fff;
}

/** @param {number} half @returns {number} the bits of the leader's cards */
export const leaderCards = (half) => half & inPlay(half);

/** @param {number} half @returns {number} the bits of the follower's cards */
export const followerCards = (half) => ~half & inPlay(half);

/** @param {number} half @returns {number} the position with the follower as leader: the bits of all cards flip, those of lengths stay */
export const seatsSwapped = (half) => half ^ inPlay(half);

/**
 * @param {number} cards
 * @returns {number} the lowest card of each run: adjacent cards of one hand, which are equivalent
 */
export const runStarts = (cards) => cards & ~(cards << 1);

/**
 * @param {number} half
 * @param {number} bit index of a card in it
 * @returns {number} without the card; those above it in its suit move down
 */
export function without(half, bit) {
  const lane = bit & 16 ? 0xffff0000 : 0xffff;
  const kept = ~lane | ((1 << bit) - 1); // the other lane, and the cards below
  return (half & kept) | ((half >> 1) & lane & 0x7fff7fff & ~kept);
}

/**
 * @param {number} suit
 * @param {number} trump
 * @returns {number} the lane of a suit: the trump suit swaps places with suit 0
 */
function laneOf(suit, trump) {
  if (suit === trump) return 0;
  return suit === 0 && trump > 0 ? trump : suit;
}

/** @param {number} card @param {Mask} cards all cards in play @param {number} trump @returns {number} its bit index */
export function bitIndexOf(card, cards, trump) {
  const suit = (card / 13) | 0;
  return 16 * laneOf(suit, trump) + countBits(cards[suit] & ((1 << (card % 13)) - 1));
}

/**
 * @param {Mask} leader
 * @param {Mask} follower
 * @param {number} trump
 * @returns {[number, number]} the position of two hands; its suits are not sorted
 */
export function positionOf(leader, follower, trump) {
  const words = [1, 1, 1, 1];
  for (let suit = 0; suit < 4; suit++) {
    let word = 0, place = 0;
    for (let cards = leader[suit] | follower[suit]; cards; cards &= cards - 1) {
      if (leader[suit] & cards & -cards) word |= 1 << place;
      place += 1;
    }
    words[laneOf(suit, trump)] = word | (1 << place);
  }
  return [words[0] | (words[1] << 16), words[2] | (words[3] << 16)];
}
