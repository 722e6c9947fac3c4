// @ts-check
/**
 * Perfect play of endgames with open hands: the exact margin of each card, and which one to play
 * (`agents/endgame/open_hands.py`, `agents/endgame/open_hands_kernels.py`).
 *
 * Everything is seen from the seat to act. A *margin* is this seat's tricks from here on minus the other's; in a low game
 * the other's minus this seat's, so that more is always better. Of several perfect cards, the one that gains most if the
 * opponent errs is played: by a rollout of the textbook bot's rules, then by the random-reply margin, then the lowest.
 */

import { isEmpty, maskOf, popcount, union, withoutCard } from "./cards.js";
import { cardRolloutMargin } from "./heuristic/endgame.js";
import { raceMoveMargins } from "./solver/races.js";
import { endgameMoveValues } from "./solver/values.js";
import { beats, ENDGAME, FOREPLAY } from "./state.js";

/** @import { Mask } from "./cards.js" */
/** @import { View } from "./view.js" */

/**
 * @typedef {object} OpenHands
 * @property {Mask} own  cards of the seat to act
 * @property {Mask} other  cards of the other seat, without the card it has led
 * @property {number} led  card led by the other seat, −1 when the seat to act leads
 * @property {number} trump
 * @property {boolean} low  whether the fewest tricks win
 * @property {[number, number]} needs  tricks that each seat still needs to end a race, own first; zeros without a race
 */

/** @param {View} view one in which `opponentHandKnown` is true @returns {OpenHands} */
export function openHands(view) {
  const taken = [view.tricksSelf, view.tricksOpponent].map((tricks) => tricks[FOREPLAY] * view.allCount + tricks[ENDGAME]);
  return {
    own: view.hand,
    other: union(view.unseen, view.opponentKnown),
    led: view.led,
    trump: view.trump,
    low: view.low !== 0,
    needs: view.race > 0 ? [view.race - taken[0], view.race - taken[1]] : [0, 0],
  };
}

/** @param {OpenHands} hands @returns {Map<number, number>} by legal card: the margin with perfect play from then on */
function cardMargins(hands) {
  const { own, other, led, trump, low, needs } = hands;
  const follows = led >= 0;
  const leader = follows ? other : own, follower = follows ? own : other;
  if (needs[0] > 0) return raceMoveMargins(leader, follower, trump, led, follows ? [needs[1], needs[0]] : needs);
  const cards = popcount(own);
  const margins = new Map();
  for (const [card, tricks] of endgameMoveValues(leader, follower, trump, low, led)) {
    margins.set(card, low ? cards - 2 * tricks : 2 * tricks - cards);
  }
  return margins;
}

/**
 * The margin of the whole deal after each legal card, with perfect play by both seats from then on.
 *
 * @param {View} view one in which `opponentHandKnown` is true
 * @returns {Map<number, number>} by card, lowest first
 */
export function exactMargins(view) {
  const difference = [FOREPLAY, ENDGAME].map((stage) => view.tricksSelf[stage] - view.tricksOpponent[stage]);
  const counted = difference[ENDGAME] + difference[FOREPLAY] * view.allCount;
  const taken = view.low ? -counted : counted;
  return new Map([...cardMargins(openHands(view))].map(([card, margin]) => [card, margin + taken]));
}

/**
 * Keep the lowest card of each run of equivalent ones, which no card of the other hand separates
 * (`drop_equivalent_cards`).
 *
 * @param {OpenHands} hands
 * @param {number[]} cards legal cards, lowest first
 */
function oneOfEachRun(hands, cards) {
  const kept = [];
  const candidates = maskOf(cards);
  for (let suit = 0; suit < 4; suit++) {
    const between = hands.other[suit] | (hands.led >= 0 && ((hands.led / 13) | 0) === suit ? 1 << (hands.led % 13) : 0);
    let seen = false; // whether an equivalent lower card of this hand was seen
    for (let rank = 0; rank < 13; rank++) {
      if ((between >> rank) & 1) seen = false;
      else if ((hands.own[suit] >> rank) & 1) {
        if (!seen && (candidates[suit] >> rank) & 1) kept.push(13 * suit + rank);
        seen = true;
      }
    }
  }
  return kept;
}

/**
 * Play one legal card for the seat to act (`_after_card`).
 *
 * @param {OpenHands} hands
 * @param {number} card
 * @returns {{ next: OpenHands, reward: number, samePlayer: boolean, terminated: boolean }} the endgame seen from the seat
 *   that acts next, the change of the margin of the seat that played, whether it acts again, whether the deal is over
 */
function afterCard(hands, card) {
  const own = withoutCard(hands.own, card);
  const leads = hands.led < 0, isRace = hands.needs[0] > 0;
  const won = !leads && beats(card, hands.led, hands.trump);
  const [mine, theirs] = hands.needs;
  /** @type {[number, number]} */
  const needs = [mine - (isRace && won ? 1 : 0), theirs - (isRace && !leads && !won ? 1 : 0)];
  /** @type {OpenHands} */
  const next = {
    own: won ? own : hands.other,
    other: won ? hands.other : own,
    led: leads ? card : -1,
    trump: hands.trump,
    low: hands.low,
    needs: won ? needs : [needs[1], needs[0]],
  };
  const reward = leads ? 0 : won !== hands.low ? 1 : -1;
  return { next, reward, samePlayer: won, terminated: isEmpty(next.own) || (isRace && Math.min(...needs) === 0) };
}

/**
 * @param {OpenHands} hands
 * @returns {number} the card that the seat to act plays: perfect for the margin, ties broken as above
 */
export function bestCard(hands) {
  let { candidates, best } = bestCards(hands);
  // With the largest possible margin no error of the opponent can add to it: any candidate will do.
  if (best === popcount(hands.own)) return candidates[0];
  const byRules = candidates.map((card) => cardRolloutMargin(card, hands.own, hands.other, hands.led, hands.trump, hands.low));
  const most = Math.max(...byRules);
  candidates = candidates.filter((_, i) => byRules[i] === most);
  return candidates.length > 1 ? highestOf(candidates, randomReplyMargins(hands, candidates)) : candidates[0];
}

/** @param {number[]} cards @param {number[]} values @returns {number} the first card with the highest value */
const highestOf = (cards, values) => cards[values.indexOf(Math.max(...values))];

/**
 * @param {OpenHands} hands
 * @returns {{ candidates: number[], best: number }} the best cards, one of each run of equivalent ones, and their
 *   margin
 */
function bestCards(hands) {
  const margins = [...cardMargins(hands)];
  const best = Math.max(...margins.map(([, margin]) => margin));
  const cards = margins.filter(([, margin]) => margin === best).map(([card]) => card);
  return { candidates: oneOfEachRun(hands, cards), best };
}

/** @param {OpenHands} hands @param {number[]} candidates @returns {number[]} their random-reply margins */
function randomReplyMargins(hands, candidates) {
  return candidates.map((card) => {
    const { next, reward, samePlayer, terminated } = afterCard(hands, card);
    let expected = reward;
    if (!samePlayer && !terminated) expected -= meanMargin(next);
    if (samePlayer && !terminated) expected += bestRandomReplyMargin(next);
    return Math.round(expected * 1e9) / 1e9; // equal fractions summed in another order must compare equal
  });
}

/** @param {OpenHands} hands @returns {number} the mean margin of the seat to act over its distinct cards */
function meanMargin(hands) {
  const margins = cardMargins(hands);
  const cards = oneOfEachRun(hands, [...margins.keys()]);
  return cards.reduce((sum, card) => sum + Number(margins.get(card)), 0) / cards.length;
}

/** @param {OpenHands} hands @returns {number} the highest random-reply margin among the best cards */
function bestRandomReplyMargin(hands) {
  const { candidates, best } = bestCards(hands);
  return best < popcount(hands.own) ? Math.max(...randomReplyMargins(hands, candidates)) : best;
}
