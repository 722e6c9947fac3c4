// @ts-check
/**
 * Endgames of races, which stop when a seat has enough tricks, solved for the margin at that moment
 * (`solver/search/race_kernels.py`).
 *
 * A value is the leader's margin, counted in tricks still needed: if play stops, or the cards run out, when the leader
 * needs `p` more tricks and the follower `q`, the value is `q − p`.
 */

import { cardsOf, NO_CARD, popcount, union, withCard } from "../cards.js";
import {
  ABOVE_ALL, BELOW_ALL, followerWins, masterCards, next, nextPosition, SLOT_BITS, slotOf,
} from "./alpha_beta.js";
import { bitIndexOf, followerCards, inPlay, leaderCards, positionOf, runStarts } from "./positions.js";
import { legalCards } from "./values.js";

/** @import { Mask } from "../cards.js" */

const RACE_WINDOW_LOW = -64, RACE_WINDOW_HIGH = 64; // the window that holds every value of a race

/** A search for races; it remembers bounds from one endgame to the next. */
class RaceSearch {
  /** @param {boolean} trump whether lane 0 is the trump suit */
  constructor(trump) {
    this.trump = trump;
    this.lows = new Int32Array(1 << SLOT_BITS);
    this.highs = new Int32Array(1 << SLOT_BITS);
    this.bounds = new Int8Array(2 << SLOT_BITS); // lower and upper: they may be negative
  }

  /**
   * The value of a position for its leader, or a bound on it (`race_alpha_beta`).
   *
   * @param {number} low
   * @param {number} high
   * @param {number} cards
   * @param {number} led
   * @param {number} own tricks that the leader still needs
   * @param {number} other tricks that the follower still needs
   * @param {number} alpha
   * @param {number} beta
   * @returns {number}
   */
  value(low, high, cards, led, own, other, alpha, beta) {
    if (led >= 0) {
      let worst = ABOVE_ALL;
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
          ? -this.value(next.low, next.high, cards - 1, NO_CARD, other - 1, own, -limit, -alpha)
          : this.value(next.low, next.high, cards - 1, NO_CARD, own - 1, other, alpha, limit);
        if (value < worst) worst = value;
      }
      return worst;
    }

    if (own === 0 || other === 0 || cards === 0) return other - own;
    // Goals out of reach become "one more than the cards left", so that the numbers fit into the two bits of each lane that
    // words leave free; `shift` undoes it.
    const shift = Math.max(other - cards - 1, 0) - Math.max(own - cards - 1, 0);
    own = Math.min(own, cards + 1);
    other = Math.min(other, cards + 1);
    alpha -= shift;
    beta -= shift;
    const lowKey = low | ((own & 3) << 14) | ((own >> 2) << 30);
    const highKey = high | ((other & 3) << 14) | ((other >> 2) << 30);
    const slot = slotOf(lowKey, highKey);
    let lower = -own, upper = other;
    if (this.lows[slot] === lowKey && this.highs[slot] === highKey) {
      lower = this.bounds[2 * slot];
      upper = this.bounds[2 * slot + 1];
    }
    if (lower >= beta || lower === upper) return lower + shift;
    if (upper <= alpha) return upper + shift;
    if (lower > alpha) alpha = lower;
    if (upper < beta) beta = upper;
    let best = BELOW_ALL;
    const lowOwn = leaderCards(low), highOwn = leaderCards(high);
    let lowLeads = runStarts(lowOwn), highLeads = runStarts(highOwn);
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
      const value = this.value(low, high, cards, lead, own, other, best > alpha ? best : alpha, beta);
      if (value > best) best = value;
    }
    if (best <= alpha) upper = best;
    else if (best >= beta) lower = best;
    else lower = upper = best;
    this.lows[slot] = lowKey;
    this.highs[slot] = highKey;
    this.bounds[2 * slot] = lower;
    this.bounds[2 * slot + 1] = upper;
    return best + shift;
  }
}

/** @type {Map<boolean, RaceSearch>} */
const searches = new Map();

/** @param {boolean} trump @returns {RaceSearch} the search for races with or without trumps */
function raceSearchOf(trump) {
  let search = searches.get(trump);
  if (!search) searches.set(trump, (search = new RaceSearch(trump)));
  return search;
}

/**
 * Return, for each legal card of the seat to act, the margin of the further tricks in perfect play from then on.
 *
 * @param {Mask} leader with or without the card led
 * @param {Mask} follower
 * @param {number} trump suit, −1 for none
 * @param {number} led card led, −1 for none
 * @param {readonly [number, number]} needs tricks that the leader and the follower still need for the deal to stop
 * @returns {Map<number, number>} by card, lowest first
 */
export function raceMoveMargins(leader, follower, trump, led, needs) {
  const search = raceSearchOf(trump >= 0);
  const [own, other] = needs;
  const held = led < 0 ? leader : withCard(leader, led);
  const all = union(held, follower);
  const [low, high] = positionOf(held, follower, trump);
  const cards = popcount(held);
  const margins = new Map();
  // A value that has not changed, `other - own`, is a margin of 0.
  for (const card of cardsOf(legalCards(held, follower, led))) {
    const bitIndex = bitIndexOf(card, all, trump);
    if (led < 0) {
      const value = search.value(low, high, cards, bitIndex, own, other, RACE_WINDOW_LOW, RACE_WINDOW_HIGH);
      margins.set(card, value - (other - own));
    } else {
      const ledIndex = bitIndexOf(led, all, trump);
      const taken = followerWins(ledIndex, bitIndex, search.trump);
      nextPosition(low, high, ledIndex, bitIndex, taken, search.trump);
      const value = taken
        ? -search.value(next.low, next.high, cards - 1, NO_CARD, other - 1, own, RACE_WINDOW_LOW, RACE_WINDOW_HIGH)
        : search.value(next.low, next.high, cards - 1, NO_CARD, own - 1, other, RACE_WINDOW_LOW, RACE_WINDOW_HIGH);
      margins.set(card, other - own - value);
    }
  }
  return margins;
}
