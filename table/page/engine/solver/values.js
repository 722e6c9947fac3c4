// @ts-check
/** Endgames given as hands: the tricks of the leader, and the tricks after each card (`solver/search/value_kernels.py`). */

import { cardsOf, isEmpty, NO_CARD, ofSuit, popcount, suitOf, union, withCard } from "../cards.js";
import { AlphaBeta, followerWins, next, nextPosition, sortSuits, WINDOW_HIGH, WINDOW_LOW } from "./alpha_beta.js";
import { bitIndexOf, positionOf } from "./positions.js";

/** @import { Mask } from "../cards.js" */

/** @type {Map<string, AlphaBeta>} */
const searches = new Map();

/** @param {boolean} trump @param {boolean} low @returns {AlphaBeta} the search for one kind of game */
function searchOf(trump, low) {
  const kind = `${trump} ${low}`;
  let search = searches.get(kind);
  if (!search) searches.set(kind, (search = new AlphaBeta(trump, low)));
  return search;
}

/**
 * @param {Mask} leader
 * @param {Mask} follower
 * @param {number} led
 * @returns {Mask} the cards that the seat to act may play: the leader, or the follower if a card is led
 */
export function legalCards(leader, follower, led) {
  if (led < 0) return leader;
  const following = ofSuit(follower, suitOf(led));
  return isEmpty(following) ? follower : following;
}

/**
 * Return how many tricks the leader takes when both seats play perfectly, the current trick included.
 *
 * @param {Mask} leader with or without the card led
 * @param {Mask} follower
 * @param {number} trump suit, −1 for none
 * @param {boolean} low whether the fewest tricks win
 * @param {number} [led] card led, −1 for none
 */
export function solveEndgame(leader, follower, trump, low, led = NO_CARD) {
  const search = searchOf(trump >= 0, low);
  const own = led < 0 ? leader : withCard(leader, led);
  const cards = popcount(own);
  const [lowHalf, highHalf] = positionOf(own, follower, trump);
  let value;
  if (led < 0) {
    sortSuits(lowHalf, highHalf, search.trump);
    value = search.value(next.low, next.high, cards, NO_CARD, WINDOW_LOW, WINDOW_HIGH);
  } else value = search.value(lowHalf, highHalf, cards, bitIndexOf(led, union(own, follower), trump), WINDOW_LOW, WINDOW_HIGH);
  return low ? cards - value : value;
}

/**
 * Return, for each legal card of the seat to act, the tricks that this seat takes when both play perfectly from then on.
 *
 * @param {Mask} leader with or without the card led
 * @param {Mask} follower
 * @param {number} trump suit, −1 for none
 * @param {boolean} low whether the fewest tricks win
 * @param {number} [led] card led, −1 for none
 * @returns {Map<number, number>} by card, lowest first
 */
export function endgameMoveValues(leader, follower, trump, low, led = NO_CARD) {
  const search = searchOf(trump >= 0, low);
  const leads = led < 0;
  const own = leads ? leader : withCard(leader, led);
  const inPlay = union(own, follower);
  const [lowHalf, highHalf] = positionOf(own, follower, trump);
  const cards = popcount(own);
  const ledIndex = leads ? NO_CARD : bitIndexOf(led, inPlay, trump);
  const tricks = new Map();
  let lastIndex = -2, value = -2;
  for (const card of cardsOf(legalCards(own, follower, led))) {
    const bitIndex = bitIndexOf(card, inPlay, trump);
    if (bitIndex !== lastIndex + 1 || !(bitIndex & 15)) { // adjacent cards of a suit have the same value
      if (leads) value = search.value(lowHalf, highHalf, cards, bitIndex, WINDOW_LOW, WINDOW_HIGH);
      else value = replyValue(search, lowHalf, highHalf, cards, ledIndex, bitIndex);
    }
    lastIndex = bitIndex;
    tricks.set(card, leads !== low ? value : cards - value);
  }
  return tricks;
}

/**
 * Return the value of a position for its leader after the follower's reply to the card led.
 *
 * @param {AlphaBeta} search
 * @param {number} low
 * @param {number} high
 * @param {number} cards
 * @param {number} led
 * @param {number} reply
 */
function replyValue(search, low, high, cards, led, reply) {
  const gain = search.low ? 0 : 1;
  const taken = followerWins(led, reply, search.trump);
  nextPosition(low, high, led, reply, taken, search.trump);
  const value = search.value(next.low, next.high, cards - 1, NO_CARD, WINDOW_LOW, WINDOW_HIGH);
  return taken ? cards - gain - value : gain + value;
}
