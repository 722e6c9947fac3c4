// @ts-check
/**
 * What every action of a decision is worth, by what its seat knows: the one place that says how good a move is
 * (`agents/judge.py`, with a network as the judge).
 *
 * - Where the opponent's hand is known, the endgame solver gives the exact result of each action.
 * - Elsewhere the network says how the actions differ, in margin. The value network says what the network's choice is
 *   worth, in margin and in chance to win; without one, rollouts do. Rollouts also give the spread of the margins, which
 *   turns margins into chances to win. Their worlds are sampled uniformly from those that the view allows, and the textbook
 *   bot plays for both seats.
 * - In humbug, which no network plays, everything comes from rollouts of all actions.
 *
 * Python tries every action in rollouts and plays their endgames exactly. Here only the network's choice is tried, and the
 * endgame of most worlds is played by rules of thumb, so that a phone can do it while a person waits. The random numbers of
 * a decision depend on the seat's hand alone, so a hint and a review of the same decision say the same.
 */

import { cardsOf } from "../engine/cards.js";
import { exactMargins } from "../engine/endgame.js";
import { kernels } from "../engine/kernels.js";
import { evaluate } from "../engine/network.js";
import { opponentHandKnown } from "../engine/view.js";
import { tricksLost, tricksTaken } from "./tricks.js";

/** @typedef {import("../engine/network.js").Network} Network */
/** @typedef {import("../engine/rules.js").Rules} Rules */
/** @typedef {import("../engine/view.js").View} View */

const EXACT = "exact";
const ROLLOUTS = "rollouts";
const WORLDS = 256; // of a decision
const TRIED = 96; // in which every action is tried, where there is no network
const SOLVED = 32; // of these worlds, the endgames are solved
const BANDWIDTH = 0.7; // margin: of the Gaussian kernel that smooths the distribution, which the actions share but for a shift
const NETWORK_SD = 0.3; // standard deviation of the error of the network's advantages, in margin
const WIN_PER_TRICK = 0.08; // what a trick of margin is worth in chance to win, for errors
const SHIFTS = 30; // margin: how far the bisection looks for the shift that gives the chance to win of a value network
const HALVINGS = 24; // of that bisection
const SURE = 0.001; // a value network's chance is taken as no closer to 0 or 1

/**
 * The value of each legal action of one decision.
 *
 * @typedef {object} Advice
 * @property {number[]} actions the legal actions: the judge's choice, then the others from the best expected result to the worst
 * @property {number[]} tricks expected counted tricks that the seat takes after each; in low games fewer are better
 * @property {number[]} opponentTricks those that the opponent takes
 * @property {number[]} lost how many tricks each loses against the first; negative where it wins more
 * @property {number[]} lostErrors standard errors of these differences; 0 where they are exact
 * @property {number[]} wins chance to win the deal after each; a draw counts half
 * @property {number[]} winErrors standard errors of the differences from the first
 * @property {number[]} trick chance to win the current trick after each; NaN where it is unknown
 * @property {boolean} exact whether the values are exact results
 * @property {string} judge what they come from: the name of a network, `exact`, `rollouts`, or an agent of the server
 */

/**
 * @param {View} view what the seat to act knows
 * @param {Rules} rules
 * @param {Network | null} network null where none plays the game, as in humbug: rollouts of all actions say everything then
 * @param {number} [worlds] how many are sampled
 * @returns {Advice}
 */
export function advise(view, rules, network, worlds = network === null ? TRIED : WORLDS) {
  if (opponentHandKnown(view)) return exactAdvice(view, rules);
  return network === null ? rolloutAdvice(view, rules, worlds) : estimatedAdvice(view, rules, network, worlds);
}

/**
 * The actions of one decision; the errors are those of the differences from the choice.
 *
 * @typedef {object} Values
 * @property {number[]} margins expected
 * @property {number[]} wins chances to win the deal
 * @property {number[]} trick chances to win the current trick
 * @property {number[]} marginErrors
 * @property {number[]} winErrors
 */

/**
 * @param {number[]} actions the legal actions
 * @param {Values} values
 * @param {[number, number][]} scores expected counted tricks of the seat and of its opponent, by action
 * @param {Rules} rules
 * @param {string} judge
 * @param {number} best place of the judge's choice
 * @returns {Advice}
 */
function adviceOf(actions, values, scores, rules, judge, best) {
  const exact = judge === EXACT;
  const lost = actions.map((_, place) => (exact
    ? Math.max(...scores[place].map((tricks, who) => Math.abs(tricks - scores[best][who])))
    : tricksLost(values.margins[best] - values.margins[place], values.wins[best] - values.wins[place], rules)));
  const isBest = (/** @type {number} */ place) => (place === best ? 0 : 1);
  const order = actions.map((_, place) => place).sort((one, other) => isBest(one) - isBest(other) || lost[one] - lost[other] || actions[one] - actions[other]);
  return {
    actions: order.map((place) => actions[place]),
    tricks: order.map((place) => scores[place][0]),
    opponentTricks: order.map((place) => scores[place][1]),
    lost: order.map((place) => lost[place]),
    lostErrors: order.map((place) => (place === best ? 0 : tricksLost(values.marginErrors[place], 0, rules))),
    wins: order.map((place) => values.wins[place]),
    winErrors: order.map((place) => (place === best ? 0 : values.winErrors[place])),
    trick: order.map((place) => values.trick[place]),
    exact,
    judge,
  };
}

/** @param {View} view @param {Rules} rules @returns {Advice} */
function exactAdvice(view, rules) {
  const found = exactMargins(view);
  const actions = [...found.keys()];
  const margins = [...found.values()];
  const values = {
    margins,
    wins: margins.map((margin) => (Math.sign(margin) + 1) / 2),
    trick: actions.map(() => NaN),
    marginErrors: actions.map(() => 0),
    winErrors: actions.map(() => 0),
  };
  const scores = margins.map((margin) => scoresOf(margin, rules, view.low !== 0));
  return adviceOf(actions, values, scores, rules, EXACT, margins.indexOf(Math.max(...margins)));
}

/** @param {number} margin @param {Rules} rules @param {boolean} low @returns {[number, number]} the counted tricks that go with it: the seat's and its opponent's */
function scoresOf(margin, rules, low) {
  return [tricksTaken(margin, rules, low), tricksTaken(-margin, rules, low)];
}

/** @param {View} view @param {Rules} rules @param {Network} network @param {number} number of worlds @returns {Advice} */
function estimatedAdvice(view, rules, network, number) {
  const { advantages: gains, value } = evaluate(network, rules, view);
  const actions = [...gains.keys()].sort((one, other) => one - other);
  const best = actions.findIndex((action) => gains.get(action) === 0); // of equals the lowest, as in Python
  const samples = rollOuts(view, rules, actions[best], number);
  const middle = mean(samples), level = value === null ? middle : value.margin;
  const margins = actions.map((action) => level + Number(gains.get(action)));
  // All samples, shifted to each action in turn: the actions then differ by their values alone, not by noise.
  const shift = value === null ? 0 : shiftTo(value.win, samples.map((sample) => sample - middle + level));
  const spread = samples.map((sample) => sample - middle + shift);
  const shifted = margins.map((margin) => spread.map((sample) => sample + margin));
  const values = {
    margins,
    wins: shifted.map(winOf),
    trick: actions.map((action) => trickChance(view, rules, action, number)),
    marginErrors: actions.map(() => NETWORK_SD),
    winErrors: actions.map(() => NETWORK_SD * WIN_PER_TRICK),
  };
  const scores = margins.map((margin, place) => {
    if (!rules.race) return scoresOf(margin, rules, view.low !== 0);
    const races = shifted[place].map((sample) => scoresOf(sample, rules, false)); // tricks are not linear in the margin
    return /** @type {[number, number]} */ ([mean(races.map((one) => one[0])), mean(races.map((one) => one[1]))]);
  });
  return adviceOf(actions, values, scores, rules, network.name, best);
}

/** @param {View} view @param {Rules} rules @param {number} number of worlds @returns {Advice} */
function rolloutAdvice(view, rules, number) {
  const actions = cardsOf(view.legal);
  const samples = actions.map((action) => rollOut(view, rules, action, number).margins);
  const margins = samples.map(mean);
  const best = margins.indexOf(Math.max(...margins));
  const spread = samples.flatMap((row, place) => row.map((sample) => sample - margins[place]));
  const errorOf = (/** @type {(margin: number) => number} */ worth) => samples.map((row) => {
    const differences = row.map((sample, world) => worth(samples[best][world]) - worth(sample));
    const middle = mean(differences);
    return Math.sqrt(mean(differences.map((one) => (one - middle) ** 2)) / number);
  });
  const values = {
    margins,
    wins: margins.map((margin) => winOf(spread.map((sample) => sample + margin))),
    trick: actions.map((action) => trickChance(view, rules, action, number)),
    marginErrors: errorOf((margin) => margin),
    winErrors: errorOf((margin) => (Math.sign(margin) + 1) / 2),
  };
  const scores = margins.map((margin) => scoresOf(margin, rules, view.low !== 0));
  return adviceOf(actions, values, scores, rules, ROLLOUTS, best);
}

/** @param {number[]} numbers @returns {number} */
const mean = (numbers) => numbers.reduce((total, number) => total + number, 0) / numbers.length;

/**
 * Roll out an action in sampled worlds: the textbook bot plays the rest of the foreplay for both seats.
 *
 * @param {View} view
 * @param {Rules} rules
 * @param {number} action of the seat to act
 * @param {number} number of worlds
 * @param {number} [solved] in so many of them, the endgame is solved, too
 * @returns {{margins: number[], exact: number[]}} its margin in each world, with rules of thumb in the endgame; with perfect play
 */
function rollOut(view, rules, action, number, solved = 0) {
  const { call, records, memory, at } = kernels.bots;
  const { rollouts } = records;
  call.roll_out(
    records.rules.write(rules.game), records.view.write(view), at.handCounts, action, number, solved,
    at.state, at.scratchView, at.solver, at.rollouts,
  );
  const read = (/** @type {number} */ address, /** @type {number} */ count) => [...new Int8Array(memory, address, count)];
  return { margins: read(rollouts.field.margins, number), exact: read(rollouts.field.exact, Math.min(solved, number)) };
}

/**
 * Roll out an action. Rules of thumb err in endgames, mostly in one direction, so the errors found in the solved worlds
 * correct the others.
 *
 * @param {View} view
 * @param {Rules} rules
 * @param {number} action of the seat to act
 * @param {number} number of worlds
 * @returns {number[]} its margin in each world
 */
function rollOuts(view, rules, action, number) {
  const { margins, exact } = rollOut(view, rules, action, number, SOLVED);
  const errors = exact.map((margin, place) => margin - margins[place]);
  return margins.map((margin, place) => margin + errors[place % errors.length]);
}

/** @param {View} view @param {Rules} rules @param {number} card @param {number} number of worlds @returns {number} the chance to win the current trick with it */
function trickChance(view, rules, card, number) {
  if (view.choice) return NaN;
  const { call, records, at } = kernels.bots;
  const address = [records.rules.write(rules.game), records.view.write(view), at.handCounts];
  return call.count_won(...address, card, number, at.state, at.scratchView, at.rollouts) / number;
}

/** @param {number[]} margins samples @returns {number} the chance to win */
function winOf(margins) {
  return mean(margins.map((margin) => normalShare(margin / BANDWIDTH)));
}

/** @param {number} win @param {number[]} margins samples @returns {number} how far to shift them to get a chance to win */
function shiftTo(win, margins) {
  const wanted = Math.min(Math.max(win, SURE), 1 - SURE);
  let [low, high] = [-SHIFTS, SHIFTS];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const middle = (low + high) / 2;
    if (winOf(margins.map((margin) => margin + middle)) < wanted) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** @param {number} value @returns {number} the standard normal distribution function (Abramowitz and Stegun, 26.2.17; the error is below 1e-7) */
function normalShare(value) {
  if (Math.abs(value) > 8) return value > 0 ? 1 : 0;
  const t = 1 / (1 + 0.2316419 * Math.abs(value));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (series * Math.exp((-value * value) / 2)) / Math.sqrt(2 * Math.PI);
  return value > 0 ? 1 - tail : tail;
}
