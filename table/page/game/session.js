// @ts-check
/** A session: a player against an agent, deal after deal or for a match. */

import { popcount } from "../engine/cards.js";
import { rulesNamed } from "../engine/rules.js";
import { legalActions } from "../engine/state.js";
import { Episode } from "./deal/episode.js";
import { FinishedDeal, savedDeal } from "./deal/finished.js";
import { PageError } from "./errors.js";
import { lessonRefusal } from "./lesson.js";
import { isQuizTime, quizStep } from "./recall.js";
import { matchFormatOf, winnerOf } from "./setup.js";
import { YOU } from "./wording.js";

/** @typedef {import("./setup.js").Setup} Setup */
/** @typedef {import("./deal/episode.js").DealResult} DealResult */

/**
 * The score by seat.
 *
 * @typedef {object} Score
 * @property {[number, number]} points those of the deals won
 * @property {[number, number]} won number of deals won
 */

/** @param {DealResult[]} results @returns {Score} after some deals */
function scoreOf(results) {
  /** @type {Score} */
  const found = { points: [0, 0], won: [0, 0] };
  for (const { margin, points } of results) {
    if (margin === 0) continue;
    const winner = margin > 0 ? 0 : 1;
    found.points[winner] += Math.abs(points);
    found.won[winner] += 1;
  }
  return found;
}

/** @param {Score} score @param {string | null} match @returns {[number, number]} what a match counts, by seat: points, or deals won */
export function scoreInMatch({ points, won }, match) {
  return match === null || matchFormatOf(match).kind === "first_to" ? points : won;
}

/** A player at a table with an agent. The caller lets the agent act, because it may think in another thread. */
export class Session {
  /**
   * @param {Setup} setup what is played
   * @param {string} title the agent's name
   * @param {Episode} [deal] the first deal instead of the first one of the seed
   * @param {string} [person] the player's name, `You` but in recordings
   */
  constructor(setup, title, deal, person = YOU) {
    this.setup = setup;
    this.rules = rulesNamed(setup.rules);
    this.title = title;
    this.person = person;
    /** @type {FinishedDeal[]} the last is the one on the table until `nextDeal` */
    this.finished = [];
    this.version = 0;
    /** @type {import("./types.js").Earlier | null} in practice, what the same deal brought before */
    this.earlier = null;
    /** @type {import("./seal.js").Seal | null} of its seed, where nobody knows that before */
    this.seal = null;
    /** @type {boolean} whether the seed has been told, so that no further deal follows */
    this.revealed = false;
    /** @type {string | null} in a challenge, the recording of the sender's deal */
    this.sent = null;
    this.deal = deal ?? Episode.atAddress(this.rules, setup.seed, 0);
    this.assisted = false;
    /** @type {import("./types.js").Hint | null} the hint for this position, if one has just been asked for: it is not saved */
    this.hint = null;
    /** @type {readonly number[] | null} the cards of the player's answer to the memory quiz of this deal */
    this.recalled = null;
  }

  /** @returns {[string, string]} the players by seat */
  get names() {
    return this.seat === 0 ? [this.person, this.title] : [this.title, this.person];
  }

  /** @returns {number} the player's seat */
  get seat() {
    return this.setup.seat;
  }

  /** @returns {number} the number of the deal on the table, from 1 */
  get number() {
    return this.finished.length + (this.deal.done ? 0 : 1);
  }

  /** @returns {Score} after the finished deals */
  get score() {
    return scoreOf(this.finished.map(({ result }) => result));
  }

  /** @returns {number | null} the seat that has won the match */
  get winner() {
    const { match } = this.setup;
    return match === null ? null : winnerOf(matchFormatOf(match), scoreInMatch(this.score, match));
  }

  /** @returns {boolean} whether no further deal follows */
  get over() {
    const oneDeal = this.setup.day !== null || this.setup.kind !== "play";
    return this.deal.done && (oneDeal || this.winner !== null || this.revealed);
  }

  /** @returns {boolean} whether there is an action of the player to take back */
  get canTakeBack() {
    return !this.deal.done && this.lastOwn >= 0;
  }

  /** @param {number} action a legal action of the player @throws {PageError} if the lesson asks for another one; nothing has changed */
  act(action) {
    const reason = this.setup.kind === "lesson" ? lessonRefusal(this.deal, action) : null;
    if (reason !== null) throw new PageError("illegal", reason);
    this.play(action);
  }

  /** @returns {boolean} whether it is the agent's turn */
  get waitsForAgent() {
    return this.deal.turn === 1 - this.seat;
  }

  /** @param {number} action the seat to act's action */
  play(action) {
    this.deal.play(action);
    this.version += 1;
    this.closeDeal();
  }

  /** Add the deal on the table to the finished ones if it is over by now. */
  closeDeal() {
    if (!this.deal.done) return;
    const time = new Date().toISOString().replace(/\.\d+Z$/, "+00:00");
    this.finished.push(new FinishedDeal(savedDeal(this.deal, this.assisted, this.recalled, time), this.rules));
  }

  /** @param {Episode} line the deal on the table, played to its end by best play of both */
  claim(line) {
    const from = this.deal.actions.length;
    this.deal.claimed = from;
    for (const action of line.actions.slice(from)) this.play(action);
  }

  /** Keep the hint for the player's decision, and mark the deal as assisted. @param {import("./types.js").Hint} hint */
  help(hint) {
    this.hint = hint;
    this.version += 1;
    this.assisted = true;
  }

  /** @returns {boolean} whether it is time for the memory quiz: which cards does the opponent hold? */
  get canRecall() {
    return this.setup.kind === "play" && this.recalled === null && isQuizTime(this.deal, this.seat);
  }

  /** @param {number[]} cards as many as the opponent holds */
  recall(cards) {
    this.recalled = cards;
    this.version += 1;
  }

  /** Go back to the player's last decision of this deal, and mark the deal as assisted. @param {boolean} choices whether forced actions do not count */
  takeBack(choices) {
    const last = this.deal.states.findLastIndex(
      (state) => state.turn === this.seat && (!choices || popcount(legalActions(state)) > 1),
    );
    if (last < 0) throw new PageError("refused", "You have not had a choice yet.");
    this.deal.goBack(last);
    this.assisted = true;
    if (quizStep(this.deal, this.seat) === null) this.recalled = null;
    this.version += 1;
  }

  /** @returns {number} the player's last action of this deal, counted from 0; −1: none yet */
  get lastOwn() {
    return this.deal.states.findLastIndex((state) => state.turn === this.seat);
  }

  /** End a game between two deals, and tell its seed. */
  reveal() {
    this.revealed = true;
    this.version += 1;
  }

  /** Deal the next deal of the match. */
  nextDeal() {
    this.deal = Episode.atAddress(this.rules, this.setup.seed, this.finished.length);
    this.assisted = false;
    this.recalled = null;
    this.version += 1;
  }

  /** @returns {[string, string]} what recordings call the players, by seat */
  get recordedNames() {
    return this.seat === 0 ? ["you", this.setup.agent] : [this.setup.agent, "you"];
  }
}
