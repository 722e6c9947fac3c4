// @ts-check
/** Decks by address: deal `index` of seed `seed` has the same cards as in Python. */

import { kernels } from "./kernels.js";

/** @import { Rules } from "./rules.js" */

/**
 * @param {Rules} rules
 * @param {bigint | number} seed 0 to 2**64 - 1
 * @param {bigint | number} index 0 to 2**64 - 1
 * @returns {number[]} the deck in dealing order; seat `index % 2` deals it
 */
export function dealDeck(rules, seed, index) {
  const { call, records } = kernels.rules;
  call.write_deck(records.rules.write(rules.game), records.state.at, BigInt(seed), BigInt(index));
  return records.state.read().deck.slice(0, rules.game.cards);
}
