// @ts-check
/**
 * What every action of a decision is worth, by what its seat knows (`agents/judge.py`).
 *
 * - Where the opponent's hand is known, the endgame solver gives the exact result of each action.
 * - Elsewhere the judge `network` says it, the same as in Python (`agents/judge_kernels.py`).
 * - In humbug, which no network plays, everything comes from rollouts of all actions in worlds sampled uniformly from
 *   those that the view allows; the textbook bot plays for both seats.
 *
 * The random numbers of a decision depend on the seat's hand alone, so a hint and a review of the same decision say the same.
 */

import { cardsOf } from "../engine/cards.js";
import { constants } from "../engine/constants.js";
import { exactMargins } from "../engine/endgame.js";
import { kernels } from "../engine/kernels.js";
import { STRONGEST } from "../engine/network.js";
import { opponentHandKnown } from "../engine/view.js";
import { tricksLost, tricksTaken } from "./tricks.js";

/** @typedef {import("../engine/network.js").Network} Network */
/** @typedef {import("../engine/rules.js").Rules} Rules */
/** @typedef {import("../engine/view.js").View} View */

const EXACT = "exact";
const NETWORK = "network"; // the strongest one
const ROLLOUTS = "rollouts";
const WORLDS = 256; // each decision's
const TRIED = 96; // every action is tried in so many, where there is no network
const BANDWIDTH = 0.7; // margin: of the Gaussian kernel that smooths the distribution, which the actions share but for a shift

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
 * @property {number[] | null} [policy] the probability with which an agent of the server plays each, if it knows it
 * @property {string} judge what they come from: `network`, the name of a weaker one, `exact`, `rollouts`, or an agent of the server
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
  return network === null ? rolloutAdvice(view, rules, worlds) : networkAdvice(view, rules, network, worlds);
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
  const lost = actions.map((_, place) =>
    exact
      ? Math.max(...scores[place].map((tricks, who) => Math.abs(tricks - scores[best][who])))
      : tricksLost(values.margins[best] - values.margins[place], values.wins[best] - values.wins[place], rules),
  );
  const isBest = (/** @type {number} */ place) => (place === best ? 0 : 1);
  const order = actions
    .map((_, place) => place)
    .sort((one, other) => isBest(one) - isBest(other) || lost[one] - lost[other] || actions[one] - actions[other]);
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

/** @param {View} view @param {Rules} rules @param {Network} network @param {number} number how many worlds @returns {Advice} */
function networkAdvice(view, rules, network, number) {
  const { call, records, memory, at } = kernels.bots;
  const { name } = network;
  const { networkSd, winPerTrick } = constants;
  call.judge(
    records.rules.write(rules.game),
    records.view.write(view),
    at[name],
    at[`${name}Value`],
    at.evaluation,
    number,
    at.solver,
    at.judgeScratch,
    at.judgement,
  );
  const actions = cardsOf(view.legal);
  const { field } = records.judgement;
  const read = (/** @type {number} */ address) => {
    const values = new Float64Array(memory, address, 54);
    return actions.map((action) => values[action]);
  };
  const values = {
    margins: read(field.margins),
    wins: read(field.wins),
    trick: read(field.trick),
    marginErrors: actions.map(() => networkSd),
    winErrors: actions.map(() => networkSd * winPerTrick),
  };
  const best = values.margins.indexOf(Math.max(...values.margins)); // equal ones: the lowest, as in Python
  const [own, other] = [read(field.own), read(field.other)];
  const scores = own.map((tricks, place) => /** @type {[number, number]} */ ([tricks, other[place]]));
  return adviceOf(actions, values, scores, rules, name === STRONGEST ? NETWORK : name, best);
}

/** @param {View} view @param {Rules} rules @param {number} number how many worlds @returns {Advice} */
function rolloutAdvice(view, rules, number) {
  const actions = cardsOf(view.legal);
  const samples = actions.map((action) => rollOut(view, rules, action, number));
  const margins = samples.map(mean);
  const best = margins.indexOf(Math.max(...margins));
  const spread = samples.flatMap((row, place) => row.map((sample) => sample - margins[place]));
  const errorOf = (/** @type {(margin: number) => number} */ worth) =>
    samples.map((row) => {
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
 * Roll out an action in sampled worlds, with the textbook bot for both seats.
 *
 * @param {View} view
 * @param {Rules} rules
 * @param {number} action the seat to act's action
 * @param {number} number how many worlds
 * @returns {number[]} its margin in each world
 */
function rollOut(view, rules, action, number) {
  const { call, records, memory, at } = kernels.bots;
  const address = [records.rules.write(rules.game), records.view.write(view), at.handCounts];
  call.roll_out(...address, action, number, at.state, at.scratchView, at.rollouts);
  return [...new Int8Array(memory, records.rollouts.field.margins, number)];
}

/** @param {View} view @param {Rules} rules @param {number} card @param {number} number how many worlds @returns {number} the chance to win the current trick with it */
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

/** @param {number} value @returns {number} the standard normal distribution function (Abramowitz and Stegun, 26.2.17; the error is below 1e-7) */
function normalShare(value) {
  if (Math.abs(value) > 8) return value > 0 ? 1 : 0;
  const t = 1 / (1 + 0.2316419 * Math.abs(value));
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (series * Math.exp((-value * value) / 2)) / Math.sqrt(2 * Math.PI);
  return value > 0 ? 1 - tail : tail;
}
