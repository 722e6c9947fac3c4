// @ts-check
/** The full state of a deal, and the rules of play: dealing, legal actions and state transitions (`game/state_kernels.py`). */

import { constants } from "./constants.js";
import { kernels, maskOfBits } from "./kernels.js";

/** @import { Mask } from "./cards.js" */
/** @import { Game } from "./rules.js" */

/**
 * @typedef {object} State
 * @property {[Mask, Mask]} hands  by seat
 * @property {[Mask, Mask]} known  cards of a seat that the other saw it take and it still holds
 * @property {[Mask, Mask]} played  cards a seat has played, including a card it has just led
 * @property {[Mask, Mask]} discarded  by seat: cards that it knows to be out of play (humbug)
 * @property {Mask} faceUp  the face-up cards of the stock
 * @property {readonly number[]} deck  dealing order
 * @property {[number[], number[]]} voidTrick  by seat and suit: the last trick (from 1) with a void shown, 0 = never
 * @property {[number[], number[]]} voidDrawn  cards the seat had drawn unseen by then
 * @property {[number, number]} drawn  cards a seat has drawn unseen
 * @property {[[number, number], [number, number]]} tricks  by stage, then seat
 * @property {[number, number]} exchanged  by seat: 1 if it has swapped its hand (humbug)
 * @property {number} top  position of the next face-down card in the deck; the deck's size if there is none
 * @property {number} trump  suit, −1 for none
 * @property {number} low  1 if the fewest counted tricks win
 * @property {number} dealer  seat
 * @property {number} turn  seat to act
 * @property {number} decision  one of `constants.decisions`
 * @property {number} winner  seat that won the last trick and leads the next
 * @property {number} led  card led to the current trick, −1 if none
 * @property {boolean} done
 */

/**
 * Deal a deck, non-dealer first; the first card turned up sets trumps, and high or low.
 *
 * @param {Game} game
 * @param {readonly number[]} deck card numbers in dealing order
 * @param {number} dealer seat
 * @returns {State}
 */
export function deal(game, deck, dealer) {
  const { call, records } = kernels.rules;
  records.state.write({ deck });
  call.deal(records.rules.write(game), records.state.at, dealer);
  return { ...records.state.read(), deck };
}

/** @param {State} state @returns {Mask} the legal actions of the seat to act; none when the deal is done */
export function legalActions(state) {
  const { call, records } = kernels.rules;
  return maskOfBits(call.legal(records.state.write(state)));
}

/** @param {State} state @param {number} action @returns {boolean} whether the seat to act may choose an action */
export function isLegal(state, action) {
  const { call, records } = kernels.rules;
  return Number.isInteger(action) && call.legality(records.state.write(state), action) !== 0;
}

/**
 * @param {Game} game
 * @param {State} state
 * @param {number} action a legal one
 * @returns {State} the state after it
 */
export function played(game, state, action) {
  const { call, records } = kernels.rules;
  call.play(records.rules.write(game), records.state.write(state), action);
  return { ...records.state.read(), deck: state.deck };
}

/**
 * @param {Game} game
 * @param {State} state
 * @param {number} seat
 * @returns {number} counted tricks that a seat has taken
 */
export function countedTricks(game, state, seat) {
  const { call, records } = kernels.rules;
  return call.counted(records.rules.write(game), records.state.write(state), seat);
}

/**
 * What seat 0 gets for a finished deal; seat 1 gets the negative.
 *
 * @param {Game} game
 * @param {State} state
 * @param {"margin" | "win" | "points"} reward
 * @returns {number}
 */
export function seatReturn(game, state, reward) {
  const { call, records } = kernels.rules;
  return call.seat_return(records.rules.write(game), records.state.write(state), constants.rewards.indexOf(reward));
}
