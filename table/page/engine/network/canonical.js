// @ts-check
/**
 * Canonical views: suits and ranks relabeled before a network sees them (`simulator/observation/canonical.py`,
 * `simulator/observation/canonical_kernels.py`). Trumps become spades, the plain suits come in order of length, and the highest
 * unplayed card of a suit is its ace. Discarded cards are left out: humbug alone has them, and no network plays it.
 */

import { cardBit, countBits, difference, NONE, union } from "../cards.js";

/** @import { Mask } from "../cards.js" */
/** @import { View } from "../view.js" */

const TRUMP_SLOT = 3;

/**
 * @param {View} view
 * @param {number} suit
 * @returns {number[]} sort key: trumps last, the others by length, ranks held, then ranks unseen
 */
function suitKey(view, suit) {
  if (suit === view.trump) return [1];
  const held = view.hand[suit];
  return [0, countBits(held), held, view.unseen[suit]];
}

/**
 * @param {View} view
 * @param {number} suit
 * @returns {number[]} second key, for suits alike in hand and unseen cards: where their other cards are
 */
function placesKey(view, suit) {
  return [view.opponentKnown[suit], view.ownKnown[suit], view.playedSelf[suit], view.playedOpponent[suit]];
}

/**
 * @param {number} card
 * @param {number} suit
 * @returns {number} its rank, from 1; 0 when it is of another suit or no card
 */
const rankIn = (card, suit) => (card >= 0 && ((card / 13) | 0) === suit ? 1 + (card % 13) : 0);

/**
 * @param {View} view
 * @param {number} suit
 * @returns {number[]} third key, for suits with the same cards in the same places: how play went in them
 */
function courseKey(view, suit) {
  const counts = [view.voidSelf[suit], view.voidOpponent[suit], view.drawnSelf[suit], view.drawnOpponent[suit]];
  return [rankIn(view.led, suit), view.faceUp[suit], ...counts];
}

/** @param {number[]} key @param {number[]} than @returns {number} below 0 if it comes before, 0 if they are the same */
function compareKeys(key, than) {
  for (let i = 0; i < key.length; i++) if (key[i] !== than[i]) return key[i] - than[i];
  return 0;
}

/**
 * @param {View} view
 * @param {number} suit
 * @param {number} other
 * @returns {boolean} whether a suit takes an earlier slot than another
 */
function comesBefore(view, suit, other) {
  const order = compareKeys(suitKey(view, suit), suitKey(view, other))
    || compareKeys(placesKey(view, suit), placesKey(view, other))
    || compareKeys(courseKey(view, suit), courseKey(view, other));
  return order < 0;
}

/** @param {View} view @returns {number[]} the suit that takes each slot (insertion sort) */
function orderSuits(view) {
  const suits = [0, 0, 0, 0];
  for (let suit = 0; suit < 4; suit++) {
    let slot = suit;
    while (slot > 0 && comesBefore(view, suit, suits[slot - 1])) {
      suits[slot] = suits[slot - 1];
      slot -= 1;
    }
    suits[slot] = suit;
  }
  return suits;
}

/** @param {View} view @returns {Mask} the cards in play */
function unplayedCards(view) {
  return union(union(union(view.hand, view.unseen), union(view.opponentKnown, view.faceUp)), ledBit(view));
}

/** @param {View} view @returns {Mask} the card led, or none */
const ledBit = (view) => (view.led >= 0 ? cardBit(view.led) : NONE);

/**
 * @param {Mask} unplayed
 * @param {Int8Array} encoded written: each card by rank among the unplayed cards of its suit
 * @returns {Mask} the canonical unplayed cards
 */
function rankByUnplayed(unplayed, encoded) {
  const relabeled = [...NONE];
  for (let suit = 0; suit < 4; suit++) {
    const count = countBits(unplayed[suit]);
    relabeled[suit] = (0x1fff << (13 - count)) & 0x1fff;
    let rank = 13 * suit + 12; // unplayed cards get the highest ranks, played ones those below, each in their order
    let playedRank = rank - count;
    for (let place = 12; place >= 0; place--) {
      const isUnplayed = (unplayed[suit] >> place) & 1;
      encoded[13 * suit + place] = isUnplayed ? rank : playedRank;
      rank -= isUnplayed;
      playedRank -= 1 - isUnplayed;
    }
  }
  return relabeled;
}

/**
 * @param {Mask} mask
 * @param {Int8Array} encoded
 * @returns {Mask} with its cards relabeled; actions that are not cards stay
 */
function relabeledMask(mask, encoded) {
  const relabeled = [0, 0, 0, 0, mask[4]];
  for (let suit = 0; suit < 4; suit++) { // ranks move within their suits
    for (let bits = mask[suit]; bits; bits &= bits - 1) {
      relabeled[suit] |= 1 << (encoded[13 * suit + 31 - Math.clz32(bits & -bits)] - 13 * suit);
    }
  }
  return relabeled;
}

/** @param {View} view @param {Int8Array} encoded written @returns {View} with ranks among its unplayed cards */
function relabelRanks(view, encoded) {
  const unplayed = rankByUnplayed(unplayedCards(view), encoded);
  const next = {
    ...view,
    hand: relabeledMask(view.hand, encoded),
    legal: relabeledMask(view.legal, encoded),
    ownKnown: relabeledMask(view.ownKnown, encoded),
    playedSelf: relabeledMask(view.playedSelf, encoded),
    playedOpponent: relabeledMask(view.playedOpponent, encoded),
    opponentKnown: relabeledMask(view.opponentKnown, encoded),
    faceUp: relabeledMask(view.faceUp, encoded),
    led: view.led >= 0 ? encoded[view.led] : -1,
  };
  const newSeen = union(union(next.hand, next.opponentKnown), union(next.faceUp, ledBit(next)));
  next.unseen = difference(unplayed, newSeen);
  return next;
}

/**
 * The canonical form of a view, and the card behind each of the 52 canonical cards (`relabel_view`).
 *
 * @param {View} view
 * @returns {{ canonical: View, decoded: Int8Array }}
 */
export function canonicalView(view) {
  const encoded = new Int8Array(52), decoded = new Int8Array(52);
  const ranked = relabelRanks(view, encoded);
  const suits = orderSuits(ranked);
  const slots = [0, 0, 0, 0];
  suits.forEach((suit, slot) => { slots[suit] = slot; });
  for (let card = 0; card < 52; card++) {
    const suit = (card / 13) | 0;
    encoded[card] += 13 * (slots[suit] - suit);
    decoded[encoded[card]] = card;
  }
  /** @param {Mask} mask @returns {Mask} with each suit moved to its slot; actions that are not cards stay */
  const withSuits = (mask) => [mask[suits[0]], mask[suits[1]], mask[suits[2]], mask[suits[3]], mask[4]];
  /** @param {number[]} counts */
  const inSlots = (counts) => suits.map((suit) => counts[suit]);
  const canonical = {
    ...ranked,
    hand: withSuits(ranked.hand),
    legal: withSuits(ranked.legal),
    playedSelf: withSuits(ranked.playedSelf),
    playedOpponent: withSuits(ranked.playedOpponent),
    opponentKnown: withSuits(ranked.opponentKnown),
    ownKnown: withSuits(ranked.ownKnown),
    unseen: withSuits(ranked.unseen),
    faceUp: withSuits(ranked.faceUp),
    voidSelf: inSlots(view.voidSelf),
    voidOpponent: inSlots(view.voidOpponent),
    drawnSelf: inSlots(view.drawnSelf),
    drawnOpponent: inSlots(view.drawnOpponent),
    led: view.led >= 0 ? encoded[view.led] : -1,
    trump: view.trump >= 0 ? TRUMP_SLOT : -1,
  };
  return { canonical, decoded };
}

/**
 * @param {number} action a canonical one
 * @param {Int8Array} decoded the card behind each canonical card
 * @returns {number} the action behind it; those that are not cards stay
 */
export const decodeAction = (action, decoded) => (action < 52 ? decoded[action] : action);
