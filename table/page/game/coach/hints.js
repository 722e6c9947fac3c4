// @ts-check
/** Hints: what to play, why, and what the opponent may hold. */

import { beliefOf } from "../../engine/belief.js";
import { NUM_CARDS, union } from "../../engine/cards.js";
import { agentTitle, STRONGEST } from "../catalogue.js";
import { highToLow } from "../deal/position.js";
import { actionName, cardName } from "../deal/words.js";
import { isCopy } from "../thinking.js";
import { capital } from "../wording.js";
import { judge } from "./judgement.js";
import { reason } from "./reasons.js";

/** @typedef {import("../../judge/advice.js").Advice} Advice */
/** @typedef {import("../deal/episode.js").View} View */
/** @typedef {import("../deal/episode.js").Rules} Rules */

/**
 * @param {View} view what the seat to act knows
 * @param {Rules} rules
 * @param {Advice} advice what its actions are worth
 * @param {Advice | null} beside what an agent of the command line says
 * @returns from what it knows alone
 */
export function hintOf(view, rules, advice, beside) {
  const best = advice.actions[0];
  const title = agentTitle(advice.judge);
  return {
    byText: judgeText(advice, title),
    action: best,
    title:
      best < NUM_CARDS ? `${view.choice ? "Pick" : "Play"} the ${cardName(best)}` : capital(actionName(best, rules)),
    reason: reason(view, rules, advice),
    exact: advice.exact,
    win: advice.wins[0],
    options: options(advice, rules, beside),
    beside: beside && agentTitle(beside.judge),
    opponent: advice.exact ? null : holdings(view, rules),
    opponentHand: advice.exact ? highToLow(union(view.unseen, view.opponentKnown)) : null,
  };
}

/** @param {Advice} advice @param {string} title the judge's title @returns {string} where the advice comes from, and what it is after */
function judgeText({ exact, judge: by }, title) {
  if (exact) return "Exact: both hands are known.";
  if (by === "rollouts") return "By simulated play, for the most tricks.";
  if (by.includes(":search=")) return `By ${title}: winning comes first, then tricks.`;
  if (by === "network" && isCopy(STRONGEST)) return "By the network alone, until the server is ready.";
  return by === "network" ? "By the network." : `By ${title}, because ${agentTitle(STRONGEST)} is not loaded.`;
}

/** @param {View} view @param {Rules} rules @returns what the opponent may hold, by suit */
function holdings(view, rules) {
  const belief = beliefOf(rules.game, view);
  return Array.from({ length: rules.suits }, (_, suit) => ({
    expected: belief.expected[suit],
    void: belief.void[suit],
  }));
}

/** @param {Advice} advice @param {Rules} rules @param {Advice | null} beside what an agent of the command line says @returns the legal actions with their values, the best first */
export function options(advice, rules, beside) {
  return advice.actions.map((action, place) => ({
    action,
    name: actionName(action, rules),
    tricks: advice.tricks[place],
    difference: advice.tricks[place] - advice.tricks[0],
    tricksGivenAway: Math.max(0, advice.lost[place]),
    win: advice.wins[place],
    label: judge(advice, action).label,
    trick: Number.isNaN(advice.trick[place]) ? null : advice.trick[place],
    beside: beside && besideValue(beside, beside.actions.indexOf(action)),
  }));
}

/** @param {Advice} advice an agent's advice @param {number} place the action's place */
const besideValue = ({ tricks, policy }, place) => ({
  isBest: place === 0,
  tricks: tricks[place],
  difference: tricks[place] - tricks[0],
  chance: policy?.[place] ?? null,
});
