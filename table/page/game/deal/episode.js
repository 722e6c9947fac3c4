// @ts-check
/** One deal of a session: its cards, the actions so far, and the state before each of them. */

import { actionsText, actionText, parseDeck } from "../../engine/cards.js";
import { dealDeck } from "../../engine/dealing.js";
import { deal, isLegal, legalActions, played, seatReturn } from "../../engine/state.js";
import { viewOf } from "../../engine/view.js";
import { takenTricks } from "./words.js";

/** @typedef {import("../../engine/rules.js").Rules} Rules */
/** @typedef {import("../../engine/state.js").State} State */
/** @typedef {import("../../engine/view.js").View} View */

/**
 * The result of a finished deal.
 *
 * @typedef {object} DealResult
 * @property {number} margin counted tricks, seat 0's minus seat 1's, with the sign reversed in a low game
 * @property {number} points seat 0's; seat 1 has the negative
 * @property {[[number, number], [number, number]]} tricks foreplay and endgame, each by seat
 * @property {[number, number]} counted tricks by seat
 * @property {boolean} low whether the endgame was played low
 */

/** A deal that can be played forward and taken back. */
export class Episode {
  /**
   * @param {Rules} rules
   * @param {readonly number[]} deck the cards in dealing order
   * @param {number} dealer the seat that deals
   * @param {readonly number[]} [actions] played so far
   * @param {number | null} [claimed] how many of them were played before the rest was claimed
   * @throws {Error} if the deck is not one of these rules, an action is illegal, or the deal was over when the rest was claimed
   */
  constructor(rules, deck, dealer, actions = [], claimed = null) {
    this.rules = rules;
    this.deck = parseDeck(deck, rules.cards);
    this.dealer = dealer;
    /** @type {State} hidden cards included */
    this.state = deal(rules.game, this.deck, dealer);
    /** @type {number[]} */
    this.actions = [];
    /** @type {State[]} the state before each action */
    this.states = [];
    /** @type {number | null} how many actions were played before a seat claimed or conceded the rest, which nobody chose; null: all */
    this.claimed = claimed;
    for (const action of actions) this.play(action);
    if (claimed !== null && !(this.done && claimed in this.states))
      throw new Error(`The rest cannot be claimed after ${claimed} moves.`);
  }

  /** @param {Rules} rules @param {number} seed @param {number} index @returns {Episode} deal `index` of a seed; seat `index % 2` deals */
  static atAddress(rules, seed, index) {
    return new Episode(rules, dealDeck(rules, seed, index), index % 2);
  }

  /** @returns {boolean} whether the deal is over */
  get done() {
    return this.state.done;
  }

  /** @returns {number} the seat to act; −1 if the deal is over */
  get turn() {
    return this.done ? -1 : this.state.turn;
  }

  /** @returns {import("../../engine/cards.js").Mask} the legal actions of the seat to act */
  get legal() {
    return legalActions(this.state);
  }

  /** @param {number} action @throws {Error} if it is not legal; nothing has changed */
  play(action) {
    if (this.done) throw new Error("The deal is over.");
    if (!isLegal(this.state, action)) {
      throw new Error(
        `Seat ${this.turn} cannot play ${actionText(action, this.rules)}, only ${actionsText(this.legal, this.rules)}.`,
      );
    }
    this.states.push(this.state);
    this.state = played(this.rules.game, this.state, action);
    this.actions.push(action);
  }

  /** Go back to the position before action `count`, counted from 0. @param {number} count */
  goBack(count) {
    if (count >= this.actions.length) return;
    this.state = this.states[count];
    this.states.length = count;
    this.actions.length = count;
  }

  /** @param {number} step counted from 0 @returns {number} the seat that chose it */
  actor(step) {
    return this.states[step].turn;
  }

  /** @param {number} step @returns {State} the state before action `step`, or the state now */
  stateAt(step) {
    return this.states[step] ?? this.state;
  }

  /** @param {number} seat @param {number} [step] before which action; by default now @returns {View} what a seat knows */
  view(seat, step = this.actions.length) {
    return viewOf(this.rules.game, this.stateAt(step), seat);
  }

  /** @returns {DealResult} the finished deal's result */
  result() {
    const [[a, b], [c, d]] = this.state.tricks;
    const { game } = this.rules;
    return {
      margin: seatReturn(game, this.state, "margin"),
      points: seatReturn(game, this.state, "points"),
      tricks: [
        [a, b],
        [c, d],
      ],
      counted: takenTricks(this.state, this.rules),
      low: this.state.low !== 0,
    };
  }
}
