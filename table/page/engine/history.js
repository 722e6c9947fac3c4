// @ts-check
/** Event histories: what a seat saw happen in a deal, in order (`simulator/observation/history.py`, `simulator/observation/history_kernels.py`). */

import { cardsOf, difference, intersection, popcount } from "./cards.js";
import { copyState, deal, DRAFT, EXCHANGE, play, PLAY, SWAP, TAKE as TAKE_IT } from "./state.js";

/** @import { Mask } from "./cards.js" */
/** @import { Game } from "./rules.js" */
/** @import { State } from "./state.js" */

const DEALER = 1, DEALT = 2, TURNED = 3, PLAYED = 4, WON = 5, TOOK = 6, DREW = 7, TAKE = 8, LEAVE = 9, KEEP = 10, SWAPPED = 11;

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
  /** @type {Token[]} */
  const tokens = [];
  const write = (/** @type {number} */ event, /** @type {number} */ seat, /** @type {number} */ card, /** @type {number} */ trick) =>
    void tokens.push([event, seat < 0 ? 0 : seat === me ? 1 : 2, card + 1, trick]);
  const writeCards = (/** @type {number} */ event, /** @type {number} */ seat, /** @type {Mask} */ cards, /** @type {number} */ trick, /** @type {boolean} */ seen) => {
    for (const card of cardsOf(cards)) write(event, seat, seen ? card : -1, trick);
  };
  // In the order of the deck, which a mask does not tell.
  const writeTurned = (/** @type {State} */ state, /** @type {Mask} */ turned, /** @type {number} */ trick) => {
    for (let place = state.top - popcount(turned); place < state.top; place += 1) write(TURNED, -1, state.deck[place], trick);
  };
  const state = deal(game, deck, dealer);
  write(DEALER, dealer, -1, 0);
  writeCards(DEALT, me, state.hands[me], 0, true);
  writeCards(DEALT, 1 - me, state.hands[1 - me], 0, false);
  if (game.humbug) write(TURNED, dealer, deck[game.cards - 1], 0);
  else writeTurned(state, state.faceUp, 0);
  for (const action of actions) {
    const before = copyState(state);
    const { turn: seat, decision, tricks } = before;
    const trick = tricks[0][0] + tricks[0][1] + tricks[1][0] + tricks[1][1] + (decision === PLAY ? 1 : 0);
    play(game, state, action);
    if (decision === PLAY) {
      write(PLAYED, seat, action, trick);
      if (before.led >= 0) write(WON, state.winner, -1, trick);
    } else if (decision === DRAFT) write(action === TAKE_IT ? TAKE : LEAVE, seat, -1, trick);
    else if (decision === EXCHANGE) write(action === SWAP ? SWAPPED : KEEP, seat, -1, trick);
    for (const taker of [state.winner, 1 - state.winner]) {
      const gained = difference(state.hands[taker], before.hands[taker]);
      writeCards(TOOK, taker, intersection(gained, before.faceUp), trick, true);
      writeCards(DREW, taker, difference(gained, before.faceUp), trick, taker === me);
    }
    writeTurned(state, difference(state.faceUp, before.faceUp), trick);
  }
  return tokens;
}
