// @ts-check
/**
 * What the network sees of a canonical view: the universal encoding of every game
 * (`simulator/observation/blocks.py`, `simulator/observation/vector_kernels.py`, `agents/policy/input_kernels.py`).
 */

import { countBits, popcount } from "../cards.js";
import { ENDGAME, FOREPLAY } from "../state.js";

/** @import { Mask } from "../cards.js" */
/** @import { Game } from "../rules.js" */
/** @import { View } from "../view.js" */

/** @type {[name: string, size: number][]} `VECTOR_BLOCKS` */
const VECTOR_BLOCKS = [
  ["own_hand", 52], ["face_up", 52], ["led", 52], ["played_self", 52], ["played_opponent", 52], ["opponent_known", 52],
  ["own_known", 52], ["unseen", 52], ["trump", 4], ["void_self", 4], ["void_opponent", 4], ["drawn_self", 4],
  ["drawn_opponent", 4], ["tricks_self", 2], ["tricks_opponent", 2], ["stock", 1], ["dealer", 1], ["turn", 1],
];

/** @type {[name: string, size: number][]} `_RULES_BLOCKS` */
const RULES_BLOCKS = [
  ["choice", 1], ["low", 1], ["race_left", 2], ["race_goal", 1], ["has_trump", 1], ["draft", 1], ["all_count", 1],
  ["open_stock", 1], ["suits", 1], ["ranks", 1], ["hand_size", 1], ["stock_size", 1],
];

/** @type {Record<string, number>} where each block of the universal encoding starts, and its `size` */
const LAYOUT = {};
let size = 0;
for (const [name, features] of [...VECTOR_BLOCKS, ...RULES_BLOCKS]) {
  LAYOUT[name] = size;
  size += features;
}

/**
 * Which inputs the suit layers of a network see of each suit (`suit_inputs`): the suit's part of every block of cards, its
 * own numbers, and everything that has no suit.
 *
 * @type {number[][]}
 */
export const SUIT_INPUTS = [0, 1, 2, 3].map((suit) => {
  const blocks = [...VECTOR_BLOCKS, ...RULES_BLOCKS];
  const rangeOf = (/** @type {string} */ name, /** @type {number} */ first, /** @type {number} */ count) => Array.from({ length: count }, (_, place) => LAYOUT[name] + first + place);
  // A block of 52 features has one for each card, one of 4 has one for each suit; all others have fewer.
  return [
    ...blocks.flatMap(([name, features]) => (features === 52 ? rangeOf(name, 13 * suit, 13) : [])),
    ...blocks.flatMap(([name, features]) => (features === 4 ? rangeOf(name, suit, 1) : [])),
    ...blocks.flatMap(([name, features]) => (features < 4 ? rangeOf(name, 0, features) : [])),
  ];
});

/** @param {Mask} mask @param {Int8Array} row @param {number} start */
function writeCards(mask, row, start) {
  for (let suit = 0; suit < 4; suit++) {
    for (let bits = mask[suit]; bits; bits &= bits - 1) row[start + 13 * suit + 31 - Math.clz32(bits & -bits)] = 1;
  }
}

/**
 * What the network sees of a view.
 *
 * @param {Game} game
 * @param {View} view a canonical one
 * @returns {Int8Array}
 */
export function networkInputs(game, view) {
  const row = new Int8Array(size);
  writeCards(view.hand, row, LAYOUT.own_hand);
  writeCards(view.faceUp, row, LAYOUT.face_up);
  if (view.led >= 0) row[LAYOUT.led + view.led] = 1;
  writeCards(view.playedSelf, row, LAYOUT.played_self);
  writeCards(view.playedOpponent, row, LAYOUT.played_opponent);
  writeCards(view.opponentKnown, row, LAYOUT.opponent_known);
  writeCards(view.ownKnown, row, LAYOUT.own_known);
  writeCards(view.unseen, row, LAYOUT.unseen);
  for (let suit = 0; suit < 4; suit++) {
    row[LAYOUT.trump + suit] = suit === view.trump ? 1 : 0;
    row[LAYOUT.void_self + suit] = view.voidSelf[suit];
    row[LAYOUT.void_opponent + suit] = view.voidOpponent[suit];
    row[LAYOUT.drawn_self + suit] = view.drawnSelf[suit];
    row[LAYOUT.drawn_opponent + suit] = view.drawnOpponent[suit];
  }
  for (let stage = 0; stage < 2; stage++) {
    row[LAYOUT.tricks_self + stage] = view.tricksSelf[stage];
    row[LAYOUT.tricks_opponent + stage] = view.tricksOpponent[stage];
  }
  row[LAYOUT.stock] = view.stock;
  row[LAYOUT.dealer] = view.dealer;
  row[LAYOUT.turn] = view.turn;
  row[LAYOUT.choice] = view.choice;
  row[LAYOUT.low] = view.low;
  const own = view.tricksSelf[ENDGAME] + view.tricksSelf[FOREPLAY] * view.allCount;
  const other = view.tricksOpponent[ENDGAME] + view.tricksOpponent[FOREPLAY] * view.allCount;
  row[LAYOUT.race_left] = view.race ? view.race - own : 0;
  row[LAYOUT.race_left + 1] = view.race ? view.race - other : 0;
  row[LAYOUT.race_goal] = view.race;
  row[LAYOUT.has_trump] = view.trump >= 0 ? 1 : 0;
  row[LAYOUT.draft] = view.draft;
  row[LAYOUT.all_count] = view.allCount;
  row[LAYOUT.open_stock] = popcount(view.faceUp);
  let suits = 0;
  for (let suit = 0; suit < 4; suit++) suits += countBits(game.deck[suit]) ? 1 : 0;
  row[LAYOUT.suits] = suits;
  row[LAYOUT.ranks] = Math.floor(game.cards / suits);
  row[LAYOUT.hand_size] = game.hand;
  row[LAYOUT.stock_size] = game.cards - 2 * game.hand;
  return row;
}
