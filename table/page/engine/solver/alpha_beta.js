// @ts-check
/**
 * Exact values of endgames: fail-soft alpha-beta search with a transposition table of bounds
 * (`solver/search/alpha_beta_kernels.py`). Python's search ends at an endgame table of ten cards a hand; this one has no
 * table and goes on to the last card.
 *
 * Values are the leader's successful tricks: tricks taken or, in a low game, tricks given away.
 */

import { NO_CARD } from "../cards.js";
import { followerCards, inPlay, leaderCards, MAX_CARDS, runStarts, seatsSwapped, without } from "./positions.js";

export const BELOW_ALL = -99, ABOVE_ALL = 99; // no value of an endgame or a race is beyond
export const WINDOW_LOW = -1, WINDOW_HIGH = MAX_CARDS + 1; // the window that holds every value

export const SLOT_BITS = 20;

/** @param {number} low @param {number} high @returns {number} the slot of a key, given as two halves: multiplications mix all bits into the upper ones */
export const slotOf = (low, high) =>
  Math.imul(Math.imul(low, 0x9e3779b1) ^ Math.imul(high ^ (high >>> 15), 0x85ebca77), 0xc2b2ae3d) >>> (32 - SLOT_BITS);

/** @returns {{ lows: Int32Array, highs: Int32Array, bounds: Uint8Array }} empty: no half of a position is 0, because every suit has its length bit */
const transpositionTable = () => ({
  lows: new Int32Array(1 << SLOT_BITS), highs: new Int32Array(1 << SLOT_BITS), bounds: new Uint8Array(1 << SLOT_BITS),
});

/**
 * @param {number} leads
 * @param {number} own
 * @param {number} other one half each
 * @returns {number} of each suit in which the leader holds the highest card in play, its highest lead
 */
export function masterCards(leads, own, other) {
  let cards = 0;
  // The two have no card in common, so the larger number has the highest card.
  if ((own & 0xffff) > (other & 0xffff)) cards |= 1 << (31 - Math.clz32(leads & 0xffff));
  if (own >>> 16 > other >>> 16) cards |= 1 << (31 - Math.clz32(leads));
  return cards;
}

/** The position that `sortSuits` or `nextPosition` has written, which spares an object for each. */
export const next = { low: 0, high: 0 };

/**
 * Write a position with the words of its plain suits (of all suits without trumps) in ascending order. Plain suits are
 * interchangeable, so positions that differ only in their order share a slot of the transposition table.
 *
 * @param {number} low
 * @param {number} high
 * @param {boolean} trump
 */
export function sortSuits(low, high, trump) {
  let first = low & 0xffff, a = low >>> 16, b = high & 0xffff, c = high >>> 16, swap;
  if (a > b) { swap = a; a = b; b = swap; }
  if (b > c) { swap = b; b = c; c = swap; }
  if (a > b) { swap = a; a = b; b = swap; }
  if (!trump) {
    if (first > a) { swap = first; first = a; a = swap; }
    if (a > b) { swap = a; a = b; b = swap; }
    if (b > c) { swap = b; b = c; c = swap; }
  }
  next.low = first | (a << 16);
  next.high = b | (c << 16);
}

/**
 * @param {number} led
 * @param {number} reply bit indices
 * @param {boolean} trump
 * @returns {boolean} whether the follower wins the trick
 */
export const followerWins = (led, reply, trump) => ((led ^ reply) < 16 ? reply > led : trump && reply < 16);

/**
 * Write the position after a trick, its suits sorted, seen by the winner, who leads next.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} led bit index of the card led
 * @param {number} reply bit index of the follower's card
 * @param {boolean} taken whether the follower wins the trick
 * @param {boolean} trump
 */
export function nextPosition(low, high, led, reply, taken, trump) {
  // The upper card first: removing it does not move the lower one.
  const upper = led > reply ? led : reply, lower = led > reply ? reply : led;
  if (upper < 32) low = without(low, upper);
  else high = without(high, upper & 31);
  if (lower < 32) low = without(low, lower);
  else high = without(high, lower & 31);
  if (taken) sortSuits(seatsSwapped(low), seatsSwapped(high), trump);
  else sortSuits(low, high, trump);
}

/** A search for one kind of game; it remembers bounds from one endgame to the next. */
export class AlphaBeta {
  /** @param {boolean} trump whether lane 0 is the trump suit @param {boolean} low whether the fewest tricks win */
  constructor(trump, low) {
    this.trump = trump;
    this.low = low;
    this.transpositions = transpositionTable();
  }

  /**
   * Return the value of a position, or a bound on it. Bit indices from 32 on are in the upper half.
   *
   * @param {number} low
   * @param {number} high the position, with its suits sorted if no card is led
   * @param {number} cards cards in each hand, the card led included
   * @param {number} led bit index of the card led, or −1
   * @param {number} alpha lower end of the window: a result up to alpha is an upper bound
   * @param {number} beta upper end of the window: a result from beta on is a lower bound
   * @returns {number}
   */
  value(low, high, cards, led, alpha, beta) {
    if (led >= 0) {
      let worst = ABOVE_ALL;
      const gain = this.low ? 0 : 1;
      const rest = cards - gain; // the leader's value after losing this trick is this minus the follower's
      let lowReplies = followerCards(low), highReplies = followerCards(high);
      const suit = led & 16 ? 0xffff0000 : 0xffff;
      const following = led < 32 ? lowReplies & suit : highReplies & suit;
      if (following) {
        lowReplies = led < 32 ? following : 0;
        highReplies = led < 32 ? 0 : following;
      }
      lowReplies = runStarts(lowReplies);
      highReplies = runStarts(highReplies);
      while ((lowReplies | highReplies) && worst > alpha) {
        let reply;
        if (highReplies) {
          reply = 63 - Math.clz32(highReplies);
          highReplies ^= 1 << (reply & 31);
        } else {
          reply = 31 - Math.clz32(lowReplies);
          lowReplies ^= 1 << reply;
        }
        const taken = followerWins(led, reply, this.trump);
        nextPosition(low, high, led, reply, taken, this.trump);
        const limit = worst < beta ? worst : beta;
        const value = taken
          ? rest - this.value(next.low, next.high, cards - 1, NO_CARD, rest - limit, rest - alpha)
          : gain + this.value(next.low, next.high, cards - 1, NO_CARD, alpha - gain, limit - gain);
        if (value < worst) worst = value;
      }
      return worst;
    }

    if (cards === 0) return 0;
    const { lows, highs, bounds } = this.transpositions;
    let lower = 0, upper = cards;
    const slot = slotOf(low, high);
    if (lows[slot] === low && highs[slot] === high) {
      lower = bounds[slot] & 15; // both bounds in one byte: a value is at most 13
      upper = bounds[slot] >> 4;
    }
    if (lower >= beta || lower === upper) return lower;
    if (upper <= alpha) return upper;
    if (lower > alpha) alpha = lower;
    if (upper < beta) beta = upper;
    let best = BELOW_ALL;
    const lowOwn = leaderCards(low), highOwn = leaderCards(high);
    let lowLeads = runStarts(lowOwn), highLeads = runStarts(highOwn);
    // The highest cards in play are tried first, because they cut off most.
    let lowMasters = masterCards(lowLeads, lowOwn, inPlay(low) ^ lowOwn);
    let highMasters = masterCards(highLeads, highOwn, inPlay(high) ^ highOwn);
    while ((lowLeads | highLeads) && best < beta) {
      let lead;
      if (lowMasters | highMasters) {
        lead = lowMasters ? 31 - Math.clz32(lowMasters & -lowMasters) : 63 - Math.clz32(highMasters & -highMasters);
      } else lead = lowLeads ? 31 - Math.clz32(lowLeads & -lowLeads) : 63 - Math.clz32(highLeads & -highLeads);
      if (lead < 32) {
        lowLeads &= ~(1 << lead);
        lowMasters &= ~(1 << lead);
      } else {
        highLeads &= ~(1 << lead);
        highMasters &= ~(1 << lead);
      }
      const value = this.value(low, high, cards, lead, best > alpha ? best : alpha, beta);
      if (value > best) best = value;
    }
    if (best <= alpha) upper = best;
    else if (best >= beta) lower = best;
    else lower = upper = best;
    lows[slot] = low;
    highs[slot] = high;
    bounds[slot] = lower | (upper << 4);
    return best;
  }
}
