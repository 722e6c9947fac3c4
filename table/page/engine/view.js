// @ts-check
/**
 * Views: what one seat knows of a deal, with perfect memory and nothing more (`simulator/observation/view_kernels.py`).
 * Agents receive views, never states.
 */

import { kernels } from "./kernels.js";

/** @import { Mask } from "./cards.js" */
/** @import { Game } from "./rules.js" */
/** @import { State } from "./state.js" */

/**
 * Each card of the deck is in exactly one of `hand`, `playedSelf`, `playedOpponent`, `opponentKnown`, `unseen`, `faceUp`, `discarded`.
 *
 * @typedef {object} View
 * @property {Mask} hand  cards this seat holds
 * @property {Mask} legal  actions this seat may choose; none if it is not to act
 * @property {Mask} playedSelf  every card this seat has played, including a card it has just led
 * @property {Mask} playedOpponent
 * @property {Mask} opponentKnown  cards the opponent was seen to take and still holds
 * @property {Mask} ownKnown  cards this seat holds and the opponent saw it take
 * @property {Mask} unseen  cards that are either in the opponent's hand or face down
 * @property {Mask} faceUp  the face-up cards of the stock
 * @property {Mask} discarded  cards this seat knows to be out of play (humbug)
 * @property {number[]} voidSelf  by suit: the last trick (from 1) with a void shown, 0 = never
 * @property {number[]} voidOpponent
 * @property {number[]} drawnSelf  by suit: cards drawn unseen since that void, 0 = none shown
 * @property {number[]} drawnOpponent
 * @property {[number, number]} tricksSelf  by stage: foreplay, endgame
 * @property {[number, number]} tricksOpponent
 * @property {number} led  card led to the current trick, by either seat, −1 for none
 * @property {number} trump  suit, −1 for none
 * @property {number} low  1 if the fewest counted tricks win
 * @property {number} stock  cards left in the stock, including the face-up ones
 * @property {number} dealer  1 if this seat dealt
 * @property {number} exchangedSelf  1 if this seat swapped its hand (humbug)
 * @property {number} exchangedOpponent
 * @property {number} turn  1 if this seat is to act
 * @property {number} choice  1 while the seat to act makes a choice other than a card from its hand
 * @property {number} allCount  1 if foreplay tricks count too
 * @property {number} draft  1 if the winner of a foreplay trick may leave the face-up card to the loser
 * @property {number} race  counted tricks that end the deal, 0 for no race
 */

/**
 * What `seat` knows of a state.
 *
 * @param {Game} game
 * @param {State} state
 * @param {number} [seat] the seat to act by default
 * @returns {View}
 */
export function viewOf(game, state, seat = state.turn) {
  const { call, records } = kernels.rules;
  call.see(records.rules.write(game), records.state.write(state), seat, records.view.at);
  return records.view.read();
}

/** @param {View} view @returns {boolean} whether the seat to act knows the opponent's whole hand in an endgame of at most 13 cards */
export function opponentHandKnown(view) {
  const { call, records } = kernels.rules;
  return call.knows_opponent(records.view.write(view)) !== 0;
}
