// @ts-check
/** Practice with your mistakes: each position comes back, and after longer and longer as long as it is played right. */

import { actionText, deckText, suitOf } from "../engine/cards.js";
import { isCriticised } from "./coach/judgement.js";
import { tricksWon } from "./deal/position.js";

/** @typedef {import("./deal/episode.js").Episode} Episode */
/** @typedef {import("../engine/view.js").View} View */

/** @typedef {"trumps" | "opening" | "prize" | "lead" | "endgame" | "exchange"} Kind */

/**
 * A decision of the player that was a mistake. Rules, deck, dealer and actions name the position.
 *
 * @typedef {object} Exercise
 * @property {string} rules
 * @property {string} deck
 * @property {number} dealer
 * @property {string} actions before the decision
 * @property {string} played the mistake
 * @property {string} opponent its name
 * @property {Kind} kind
 * @property {number} box its place in `BOXES`: the next one each time that it is played right, else the first
 * @property {string} due the day on which it comes back, as `2026-11-21`
 */

export const BOXES = [1, 3, 7, 14, 30]; // days after which a position of each box comes back

/** @param {string} day @param {number} days @returns {string} the day so many days later */
export function later(day, days) {
  const date = new Date(day); // midnight in UTC, which has no summer time
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}

/** @param {View} view the seat to act's view @param {number} played the mistake @param {number} better @returns {Kind} what the decision is about */
export function kindOf(view, played, better) {
  if (view.choice) return view.stock ? "prize" : "exchange";
  if (view.led < 0 && tricksWon(view) === 0) return "opening";
  if ([played, better].some((card) => suitOf(card) === view.trump)) return "trumps";
  if (!view.stock) return "endgame";
  return view.led < 0 ? "lead" : "prize";
}

/**
 * @param {Episode} deal finished
 * @param {import("./types.js").Move[]} moves its review's
 * @param {string} opponent its name
 * @param {string} today
 * @returns {Exercise[]} the player's mistakes among them
 */
export function exercisesOf(deal, moves, opponent, today) {
  const { rules, deck, dealer } = deal;
  const words = deal.actions.map((action) => actionText(action, rules));
  const wrong = moves.filter((move) => move.by === "you" && isCriticised(move));
  return wrong.map(({ number, action, best }) => ({
    rules: rules.spec,
    deck: deckText(deck),
    dealer,
    actions: words.slice(0, number - 1).join(" "),
    played: words[number - 1],
    opponent,
    kind: kindOf(deal.view(deal.actor(number - 1), number - 1), action, best),
    box: 0,
    due: later(today, BOXES[0]),
  }));
}

/** @param {Exercise} exercise @param {boolean} right how it was answered @param {string} today @returns {Exercise} what becomes of it */
export function answered(exercise, right, today) {
  const box = right ? Math.min(exercise.box + 1, BOXES.length - 1) : 0;
  return { ...exercise, box, due: later(today, BOXES[box]) };
}

/** @param {Exercise[]} exercises @param {string} today @returns {Exercise[]} those that are due, the one that has waited longest first */
export const dueOf = (exercises, today) =>
  exercises
    .filter(({ due }) => due <= today)
    .sort((one, other) => (one.due < other.due ? -1 : Number(one.due > other.due)));

/** @type {Kind[]} in the order in which they are listed */
const KINDS = ["opening", "prize", "lead", "trumps", "endgame", "exchange"];

/** @param {Exercise[]} exercises @param {string} today @returns how many there are and how many are due, of each kind and in all, and when the next one is */
export function queueOf(exercises, today) {
  const due = dueOf(exercises, today);
  const count = (/** @type {Exercise[]} */ some, /** @type {Kind} */ kind) =>
    some.filter((exercise) => exercise.kind === kind).length;
  const days = exercises.map((exercise) => exercise.due).sort();
  return {
    kinds: KINDS.map((kind) => ({ kind, due: count(due, kind), all: count(exercises, kind) })).filter(
      ({ all }) => all > 0,
    ),
    due: due.length,
    next: days.length === 0 ? null : days[0],
  };
}
