// @ts-check
/**
 * The textbook bot's endgame, where perfect memory knows both hands (`agents/bots/heuristic/endgame_kernels.py`).
 *
 * A rule policy plays a rollout for both sides after each candidate card, and the bot plays the card with the best
 * result.
 */

import { cardsOf, countBits, difference, highestBit, isEmpty, ofSuit, popcount, suitOf, withCard, withoutCard } from "../cards.js";
import { beats } from "../state.js";
import { above, below } from "./card_values.js";

/** @import { Mask } from "../cards.js" */
/** @import { View } from "../view.js" */

const VOID_LEAD_RISK = 20; // leading a suit that the opponent is void in: it discards, and the lead stays here

/**
 * @param {number} card
 * @param {Mask} opponent
 * @param {number} trump
 * @returns {number} the cost of discarding a card: low at the bottom of a suit, high for winners and trumps
 */
function discardCost(card, opponent, trump) {
  const suit = suitOf(card);
  let cost = card % 13;
  if (suit === trump) cost += 40;
  else if (opponent[suit] && !(opponent[suit] & above(card))) cost += 20; // a winner
  return cost;
}

/**
 * @param {number[]} cards
 * @param {Mask} opponent
 * @param {number} trump
 * @returns {number} the one with the lowest discard cost
 */
function cheapest(cards, opponent, trump) {
  let best = -1;
  let bestCost = 1000;
  for (const card of cards) {
    const cost = discardCost(card, opponent, trump);
    if (cost < bestCost) [best, bestCost] = [card, cost];
  }
  return best;
}

/** @param {Mask} hand @param {number} led @returns {Mask} the cards that may follow */
const following = (hand, led) => (hand[suitOf(led)] ? ofSuit(hand, suitOf(led)) : hand);

/**
 * Win as cheaply as possible, or lose the cheapest card.
 *
 * @param {Mask} hand
 * @param {Mask} opponent
 * @param {number} led
 * @param {number} trump
 */
function follow(hand, opponent, led, trump) {
  const legal = cardsOf(following(hand, led));
  const winners = legal.filter((card) => beats(card, led, trump));
  return cheapest(winners.length ? winners : legal, opponent, trump);
}

/**
 * Draw trumps with the better holding, cash sure winners, then lead from length.
 *
 * @param {Mask} hand
 * @param {Mask} opponent
 * @param {number} trump
 */
function lead(hand, opponent, trump) {
  const ownTrumps = trump >= 0 ? hand[trump] : 0;
  const theirTrumps = trump >= 0 ? opponent[trump] : 0;
  const cards = cardsOf(hand);
  const safeWinners = cards.filter((card) => {
    const suit = suitOf(card);
    return suit !== trump && !(opponent[suit] & above(card)) && (opponent[suit] || !theirTrumps);
  });
  // Draw trumps while ours are higher and the opponent could ruff our winners.
  const oursAreHigher = theirTrumps && highestBit(ownTrumps) > highestBit(theirTrumps);
  if (oursAreHigher && (countBits(ownTrumps) > countBits(theirTrumps) || !safeWinners.length)) {
    return 13 * trump + highestBit(ownTrumps);
  }
  let best = -1;
  if (safeWinners.length) { // from the opponent's longest suit, where a ruff is furthest away; high cards first
    let bestScore = -1;
    for (const card of safeWinners) {
      const score = 13 * countBits(opponent[suitOf(card)]) + (card % 13);
      if (score > bestScore) [best, bestScore] = [card, score];
    }
    return best;
  }
  let bestScore = -1000; // no sure winner: lead low from the longest plain suit
  for (const card of cards) {
    const suit = suitOf(card);
    const score = 13 * countBits(hand[suit]) - (card % 13) - (suit === trump ? 100 : 0);
    if (score > bestScore) [best, bestScore] = [card, score];
  }
  return best;
}

/** @param {number} card @param {Mask} opponent @returns {number} how many cards the opponent can duck it with */
const danger = (card, opponent) => countBits(opponent[suitOf(card)] & below(card));

/**
 * Lose with the most dangerous losing card; when every card wins, win with the highest.
 *
 * @param {Mask} hand
 * @param {Mask} opponent
 * @param {number} led
 * @param {number} trump
 */
function followLow(hand, opponent, led, trump) {
  let best = -1;
  let bestScore = -1000;
  for (const card of cardsOf(following(hand, led))) {
    const rank = card % 13;
    // In this order: lose, win in the suit led, trump.
    const score = beats(card, led, trump)
      ? (suitOf(card) === suitOf(led) ? rank - 500 : -rank - 600)
      : 13 * danger(card, opponent) + rank;
    if (score > bestScore) [best, bestScore] = [card, score];
  }
  return best;
}

/**
 * Lead where the opponent can duck least: long suits from the bottom, the highest of the safe cards.
 *
 * @param {Mask} hand
 * @param {Mask} opponent
 */
function leadLow(hand, opponent) {
  let best = -1;
  let bestScore = -1000;
  for (const card of cardsOf(hand)) {
    const risk = opponent[suitOf(card)] ? danger(card, opponent) : VOID_LEAD_RISK;
    const score = (card % 13) - 13 * risk;
    if (score > bestScore) [best, bestScore] = [card, score];
  }
  return best;
}

/**
 * @param {Mask} hand
 * @param {Mask} opponent
 * @param {number} led −1 on lead
 * @param {number} trump
 * @param {boolean} low
 * @returns {number} the rule policy's card
 */
function ruleCard(hand, opponent, led, trump, low) {
  if (low) return led >= 0 ? followLow(hand, opponent, led, trump) : leadLow(hand, opponent);
  return led >= 0 ? follow(hand, opponent, led, trump) : lead(hand, opponent, trump);
}

/**
 * Play out the endgame with the rule policy on both sides.
 *
 * @param {Mask} hand the cards of the side to act
 * @param {Mask} opponent the other side's cards; one card fewer when it has led
 * @param {number} led the card that the other side has led, −1 when the side to act leads
 * @param {number} trump
 * @param {boolean} low
 * @returns {number} tricks for the side to act minus tricks for the other
 */
export function rolloutMargin(hand, opponent, led, trump, low) {
  let own = hand, other = opponent;
  let sign = 1;
  let margin = 0;
  while (!isEmpty(own)) {
    const card = ruleCard(own, other, led, trump, low);
    own = withoutCard(own, card);
    if (led < 0) led = card;
    else {
      if (beats(card, led, trump)) {
        margin += sign;
        led = -1;
        continue;
      }
      margin -= sign;
      led = -1;
    }
    [own, other] = [other, own];
    sign = -sign;
  }
  return margin;
}

/**
 * The textbook bot's card in the endgame. Ties go to the card that the rules would play, then to the cheapest.
 *
 * @param {View} view
 */
export function endgameCard(view) {
  const { trump, led, hand } = view;
  const low = view.low !== 0;
  const samples = countSamples(view);
  const opponent = handSample(view, 0, samples);
  const ruleChoice = ruleCard(hand, opponent, led, trump, low);
  let best = ruleChoice;
  let bestCost = 0;
  let bestValue = sampledMargin(best, view, samples);
  for (const card of cardsOf(withoutCard(view.legal, best))) {
    const value = sampledMargin(card, view, samples);
    const cost = low ? -danger(card, opponent) : discardCost(card, opponent, trump);
    if (value > bestValue || (value === bestValue && best !== ruleChoice && cost < bestCost)) {
      [best, bestValue, bestCost] = [card, value, cost];
    }
  }
  return best;
}

/** @param {View} view @returns {number} how many unseen cards the opponent holds */
export function heldUnseen(view) {
  const held = popcount(view.hand) - (view.led >= 0 ? 1 : 0); // who has led holds one card fewer than the follower
  return held - popcount(view.opponentKnown);
}

/**
 * @param {View} view
 * @returns {Mask} the unseen cards that the opponent may hold: no suit in which it was void without drawing since
 */
function possibleCards(view) {
  let cards = view.unseen;
  if (popcount(cards) > heldUnseen(view)) {
    for (let suit = 0; suit < 4; suit++) {
      if (view.voidOpponent[suit] > 0 && view.drawnOpponent[suit] === 0) cards = difference(cards, ofSuit(cards, suit));
    }
  }
  return cards;
}

/** @param {View} view @returns {number} how many disjoint samples of the opponent's hand its possible cards make */
function countSamples(view) {
  const hidden = heldUnseen(view);
  return hidden > 0 ? Math.max(1, Math.floor(popcount(possibleCards(view)) / hidden)) : 1;
}

/**
 * @param {View} view
 * @param {number} number
 * @param {number} samples
 * @returns {Mask} its known cards, and every `samples`-th card of those it may hold
 */
function handSample(view, number, samples) {
  let hand = view.opponentKnown;
  let left = heldUnseen(view);
  let place = 0;
  for (const card of cardsOf(possibleCards(view))) {
    if (left <= 0) break;
    if (place % samples === number) {
      hand = withCard(hand, card);
      left -= 1;
    }
    place += 1;
  }
  return hand;
}

/**
 * @param {number} card
 * @param {View} view
 * @param {number} samples
 * @returns {number} the sum of its rollout margins over all samples of the opponent's hand
 */
function sampledMargin(card, view, samples) {
  let total = 0;
  for (let number = 0; number < samples; number++) {
    total += cardRolloutMargin(card, view.hand, handSample(view, number, samples), view.led, view.trump, view.low !== 0);
  }
  return total;
}

/**
 * The margin of a card followed by a rollout: tricks won minus lost, in a low game lost minus won.
 *
 * @param {number} card
 * @param {Mask} hand
 * @param {Mask} opponent
 * @param {number} led
 * @param {number} trump
 * @param {boolean} low
 */
export function cardRolloutMargin(card, hand, opponent, led, trump, low) {
  const rest = withoutCard(hand, card);
  let margin;
  if (led < 0) margin = -rolloutMargin(opponent, rest, card, trump, low);
  else if (beats(card, led, trump)) margin = 1 + rolloutMargin(rest, opponent, -1, trump, low);
  else margin = -1 - rolloutMargin(opponent, rest, -1, trump, low);
  return low ? -margin : margin;
}
