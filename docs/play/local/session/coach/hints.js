// @ts-check
/** Hints: what to play, why, and what the opponent may hold (`session/coach/hints.py`). */

import { actionText } from "../../engine/actions.js";
import { SUITS, union } from "../../engine/cards.js";
import { beliefOf } from "../../inference/belief.js";
import { round } from "../../words.js";
import { agentTitle } from "../catalogue.js";
import { highToLow } from "../deal/position.js";
import { actionName, tricksText } from "../deal/words.js";
import { advise } from "./advice.js";
import { judge } from "./judgement.js";
import { reason } from "./reasons.js";

/** @typedef {import("./advice.js").Advice} Advice */
/** @typedef {import("../deal/table_deal.js").View} View */
/** @typedef {import("../deal/table_deal.js").Rules} Rules */

/**
 * @param {View} view what the seat to act knows
 * @param {Rules} rules
 * @param {import("../../engine/network/network.js").Network} network
 * @returns {import("../../../static/js/types.js").Hint} from what it knows alone
 */
export function hintOf(view, rules, network) {
  const advice = advise(view, rules, network);
  const best = advice.actions[0];
  const title = agentTitle(advice.judge);
  return {
    by: advice.judge,
    by_title: title,
    by_text: advice.exact ? "Exact: both hands are known." : `By ${title}.`,
    action: actionText(best),
    name: actionName(best),
    reason: reason(view, rules, advice),
    exact: advice.exact,
    win: round(advice.wins[0], 3),
    options: options(advice),
    opponent: advice.exact ? null : holdings(view, rules),
    opponent_hand: advice.exact ? highToLow(union(view.unseen, view.opponentKnown)) : null,
  };
}

/** @param {View} view @param {Rules} rules @returns {Record<string, import("../../../static/js/types.js").Holding>} what the opponent may hold, by suit */
function holdings(view, rules) {
  const belief = beliefOf(rules.game, view);
  const suits = SUITS.slice(0, rules.suits).split("");
  return Object.fromEntries(suits.map((suit, place) => [suit, { expected: round(belief.expected[place], 3), void: round(belief.void[place], 3) }]));
}

/** @param {Advice} advice @returns {import("../../../static/js/types.js").Option[]} the legal actions with their values, the best first */
export function options(advice) {
  return advice.actions.map((action, place) => ({
    action: actionText(action),
    name: actionName(action),
    tricks: round(advice.tricks[place], 3),
    tricks_given_away: round(Math.max(0, advice.lost[place]), 3),
    win: round(advice.wins[place], 3),
    label: judge(advice, action).label,
    trick: Number.isNaN(advice.trick[place]) ? null : round(advice.trick[place], 3),
    text: tricksText(advice.tricks[place], advice.exact),
  }));
}
