// @ts-check
/**
 * World sampling: the hidden cards of a deal, drawn uniformly from all that are consistent with a view
 * (`agents/inference/world_sampling_kernels.py`, which says what that means; other random numbers are used here).
 */

import { cardsOf, difference, maskOf, NONE, ofSuit, popcount, union, withCard } from "../engine/cards.js";
import { philox, shuffle } from "../engine/dealing.js";
import { DRAFT, EXCHANGE, PICK, PICK_AFTER, PLAY } from "../engine/state.js";

/** @typedef {import("../engine/cards.js").Mask} Mask */
/** @typedef {import("../engine/rules.js").Game} Game */
/** @typedef {import("../engine/state.js").State} State */
/** @typedef {import("../engine/view.js").View} View */

const AGENT_STREAM = 1;
const [SELF, OPPONENT] = [0, 1]; // seats in a sampled state: the view's owner has seat 0

/** BINOMIAL[n][k]: ways to choose k of n cards of a suit. @type {number[][]} */
const BINOMIAL = [];
for (let row = 0; row < 14; row += 1) {
  BINOMIAL.push(Array.from({ length: 14 }, (_, k) => (k === 0 ? 1 : row === 0 ? 0 : BINOMIAL[row - 1][k] + BINOMIAL[row - 1][k - 1])));
}

/**
 * Counts of the opponent's consistent hands.
 *
 * @typedef {object} HandCounts
 * @property {Mask} cards unseen cards
 * @property {number} held number of them in the opponent's hand
 * @property {number[]} order suits by time of the shown void, latest first, then those without
 * @property {number[]} limit most hidden cards in that suit and those before it together
 * @property {number[][]} ways [i][n]: ways to fill the hand from suits i, i+1, … after n cards
 */

/** @param {Game} game @param {View} view @returns {number} unseen cards in the opponent's hand */
function opponentUnseen(game, view) {
  if (game.humbug) return game.hand - popcount(view.playedOpponent) - popcount(view.opponentKnown);
  return popcount(view.unseen) - (view.stock - popcount(view.faceUp));
}

/** @param {Game} game @param {View} view @returns {HandCounts} `ways[0][0]` is the number of hands */
export function countHands(game, view) {
  const held = opponentUnseen(game, view);
  const order = [0, 1, 2, 3].sort((one, other) => view.voidOpponent[other] - view.voidOpponent[one]);
  const limit = order.map((suit) => (view.voidOpponent[suit] > 0 ? Math.min(held, view.drawnOpponent[suit]) : held));
  const ways = Array.from({ length: 5 }, () => Array(held + 1).fill(0));
  ways[4][held] = 1;
  for (let place = 3; place >= 0; place -= 1) {
    const length = popcount(ofSuit(view.unseen, order[place]));
    for (let before = 0; before <= held; before += 1) {
      const most = Math.min(length, limit[place] - before, held - before);
      for (let count = 0; count <= most; count += 1) ways[place][before] += BINOMIAL[length][count] * ways[place + 1][before + count];
    }
  }
  return { cards: view.unseen, held, order, limit, ways };
}

/** @param {HandCounts} counts @param {number} number from 0 @returns {Mask} that consistent hand */
function unrankHand({ cards, order, ways }, number) {
  let hand = NONE;
  let before = 0;
  for (let place = 0; place < 4; place += 1) {
    const suit = cardsOf(ofSuit(cards, order[place]));
    let count = 0;
    for (; ; count += 1) {
      const these = BINOMIAL[suit.length][count] * (ways[place + 1][before + count] ?? 0);
      if (number < these) break;
      number -= these;
    }
    before += count;
    const rest = ways[place + 1][before];
    hand = union(hand, unrankCombination(suit, count, Math.floor(number / rest)));
    number %= rest;
  }
  return hand;
}

/** @param {number[]} cards @param {number} count @param {number} number @returns {Mask} combination `number`; those without the lowest card come first */
function unrankCombination(cards, count, number) {
  /** @type {number[]} */
  const chosen = [];
  let length = cards.length;
  for (const card of cards) {
    if (count === 0) break;
    length -= 1;
    const without = BINOMIAL[length][count];
    if (number >= without) {
      number -= without;
      count -= 1;
      chosen.push(card);
    }
  }
  return maskOf(chosen);
}

/** @param {HandCounts} counts @param {bigint} key @param {number} world @returns {Mask} the opponent's hidden hand in a world of a random key */
function sampleHand(counts, key, world) {
  const [high, low] = philox(key, BigInt(world), 0, AGENT_STREAM);
  const share = (high * 2 ** 21 + (low >>> 11)) / 2 ** 53; // 53 random bits, all that a float64 holds
  return unrankHand(counts, Math.floor(share * counts.ways[0][0]));
}

/** @param {Game} game @param {View} view @returns {number} the kind of decision of the seat to act */
function decisionOf(game, view) {
  if (!view.choice) return PLAY;
  if (game.humbug) return EXCHANGE;
  if (game.draft) return DRAFT;
  return view.stock % 2 ? PICK_AFTER : PICK;
}

/**
 * Return a random full state that agrees with a view of the seat to act, which is seat 0 in it.
 *
 * @param {Game} game
 * @param {View} view
 * @param {HandCounts} counts of this view
 * @param {bigint} key random key
 * @param {number} world its number
 * @returns {State}
 */
export function sampleState(game, view, counts, key, world) {
  const hand = sampleHand(counts, key, world);
  const top = game.cards - (view.stock - popcount(view.faceUp));
  const hidden = cardsOf(difference(view.unseen, hand));
  shuffle(key, BigInt(world), hidden);
  const decision = decisionOf(game, view);
  const [deck, discarded] = game.humbug ? blindsOf(game, view, hidden) : [[...Array(top).fill(0), ...hidden], NONE]; // places before the next face-down card are not looked at
  const dealer = view.dealer ? SELF : OPPONENT;
  return {
    hands: [view.hand, union(hand, view.opponentKnown)],
    known: [view.ownKnown, view.opponentKnown],
    played: [view.playedSelf, view.playedOpponent],
    faceUp: view.faceUp,
    deck,
    discarded: [view.discarded, discarded],
    exchanged: [view.exchangedSelf, view.exchangedOpponent],
    voidTrick: [[...view.voidSelf], [...view.voidOpponent]],
    voidDrawn: [voidDrawn(view.voidSelf, view.drawnSelf), voidDrawn(view.voidOpponent, view.drawnOpponent)],
    drawn: [Math.max(...view.drawnSelf), Math.max(...view.drawnOpponent)],
    tricks: [[view.tricksSelf[0], view.tricksOpponent[0]], [view.tricksSelf[1], view.tricksOpponent[1]]],
    top,
    trump: view.trump,
    low: view.low,
    dealer,
    turn: SELF,
    decision,
    winner: decision === EXCHANGE ? 1 - dealer : view.led >= 0 || decision === PICK_AFTER ? OPPONENT : SELF,
    led: view.led,
    done: false,
  };
}

/**
 * Humbug: spread the cards that nobody holds over the hand that the opponent has discarded and the blinds that are left.
 *
 * @param {Game} game
 * @param {View} view
 * @param {number[]} hidden those cards, in random order
 * @returns {[number[], Mask]} the deck, in which only these blinds are looked at, and what the opponent knows to be out of play
 */
function blindsOf(game, view, hidden) {
  const left = [...hidden];
  const deck = Array(game.cards).fill(0);
  let discarded = NONE;
  if (view.dealer ? view.exchangedSelf : view.exchangedOpponent) { // both saw the dealer discard the card shown, one of the trump suit
    const couldBe = view.trump < 0 ? view.discarded : ofSuit(view.discarded, view.trump);
    discarded = withCard(discarded, cardsOf(couldBe)[0]);
  }
  if (view.exchangedOpponent) {
    const size = game.hand + (view.dealer && view.exchangedSelf ? 1 : 0);
    while (popcount(discarded) < size) discarded = withCard(discarded, /** @type {number} */ (left.pop()));
  }
  for (let blind = 1 + view.exchangedSelf + view.exchangedOpponent; blind < 3; blind += 1) {
    for (let place = blind; place < game.cards; place += 4) deck[place] = left.pop();
  }
  return [deck, discarded];
}

/** @param {number[]} trick @param {number[]} drawn @returns {number[]} only unseen draws since the first void are counted; earlier ones do not matter */
function voidDrawn(trick, drawn) {
  const most = Math.max(...drawn);
  return trick.map((shown, suit) => (shown ? most - drawn[suit] : 0));
}

/**
 * Exact beliefs about the opponent's suits over all hands consistent with a view, each equally likely
 * (`agents/inference/suit_lengths.py`).
 *
 * @param {Game} game
 * @param {View} view
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
