// @ts-check
/** Event histories: what a seat saw happen in a deal, in order (`simulator/observation/history_kernels.py`). */

import { kernels } from "./kernels.js";

/** @import { Game } from "./rules.js" */

const COLUMNS = 4;

/** @typedef {[event: number, who: number, card: number, trick: number]} Token of a history: who is 0 nobody, 1 this seat, 2 the opponent; card is 1 + its number, 0 for none or one that this seat did not see */

/**
 * @param {Game} game
 * @param {readonly number[]} deck
 * @param {number} dealer
 * @param {readonly number[]} actions played
 * @param {number} me the seat
 * @returns {Token[]} what it saw, without padding
 */
export function historyOf(game, deck, dealer, actions, me) {
  const { call, records, memory } = kernels.rules;
  const { rules, state, scratchState, deal } = records;
  const length = call.history(
    rules.write(game),
    state.write({ deck, dealer }),
    deal.write({ actions }),
    actions.length,
    me,
    scratchState.at,
  );
  const tokens = [...new Int8Array(memory, deal.field.tokens, COLUMNS * length)];
  return Array.from(
    { length },
    (_, event) => /** @type {Token} */ (tokens.slice(COLUMNS * event, COLUMNS * (event + 1))),
  );
}
