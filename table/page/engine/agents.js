// @ts-check
/**
 * The opponents of the page: `random`, `greedy`, `heuristic` (textbook), `heuristic+exact` and the networks `small` and
 * `champion`. Each takes a view of a seat to act and returns a legal action; all but `random` always the same one.
 */

import { cardsOf, popcount } from "./cards.js";
import { bestCard } from "./endgame.js";
import { kernels } from "./kernels.js";
import { evaluate, NETWORKS } from "./network.js";
import { opponentHandKnown } from "./view.js";

/** @import { Mask } from "./cards.js" */
/** @import { Network } from "./network.js" */
/** @import { Rules } from "./rules.js" */
/** @import { View } from "./view.js" */

/** @typedef {(view: View) => number} Agent */

/**
 * @param {Mask} legal
 * @param {number} uniform a random number in [0, 1)
 * @returns {number} a random legal action, every one equally likely
 */
export const pick = (legal, uniform) => cardsOf(legal)[Math.floor(uniform * popcount(legal))];

/** @type {Agent} */
export const greedyAction = (view) => kernels.bots.call.greedy(kernels.bots.records.view.write(view));

/** @type {Agent} */
export const heuristicAction = (view) => kernels.bots.call.heuristic(kernels.bots.records.view.write(view));

/** @param {Agent} agent @returns {Agent} the agent with a perfect endgame: `NAME+exact` */
const withExactEndgame = (agent) => (view) => (opponentHandKnown(view) ? bestCard(view) : agent(view));

/**
 * The agent of a specification.
 *
 * @param {string} spec `random`, `greedy`, `heuristic`, `heuristic+exact`, or the name of a network
 * @param {Rules} rules the deals' rules
 * @param {Network | null} network the one of that name, from `readNetwork`; the others need none
 * @returns {Agent}
 * @throws {Error} if there is no such agent
 */
export function makeAgent(spec, rules, network) {
  if (spec === "random") return (view) => pick(view.legal, Math.random());
  if (spec === "greedy") return greedyAction;
  if (spec === "heuristic") return heuristicAction;
  if (spec === "heuristic+exact") return withExactEndgame(heuristicAction);
  if (spec === network?.name) return withExactEndgame((view) => evaluate(network, rules, view).action);
  throw new Error(
    `unknown agent "${spec}": this page has random, greedy, heuristic, heuristic+exact and ${NETWORKS.join(" and ")}`,
  );
}
