// @ts-check
/** What can be played, by the names that people see. */

import { differInScoringOnly, rulesNamed } from "../engine/rules.js";
import { dataNow } from "./data.js";
import { matchFormatOf } from "./setup.js";

// Of the agents that the page plays by itself, the one that judges, and whose tricks are the luck of a deal.
export { STRONGEST } from "../engine/network.js";

/** @param {string} rules @returns {import("./data.js").GameWords} @throws {Error} if the page does not play these rules */
export function wordsOf(rules) {
  const found = dataNow().games[rules];
  if (found === undefined) throw new Error(`The game ${rules} cannot be played here.`);
  return found;
}

/** @param {string} rules @returns {boolean} whether the page plays them: it may have, with another command line or version */
export const knowsRules = (rules) => dataNow().games[rules] !== undefined;

/** @param {{rules: string, agent: string}} game @returns {boolean} whether the page plays it */
export const canBePlayed = ({ rules, agent }) =>
  knowsRules(rules) && dataNow().catalog.agents.some(({ spec }) => spec === agent);

/** @param {string} rules @returns {string} a title for people; the specification of rules that the page does not play */
export const rulesTitle = (rules) => dataNow().games[rules]?.title ?? rules;

/** @param {string | null} match @returns {string} as a title: `First to 25` */
export function matchTitle(match) {
  if (match === null) return "No target";
  const { kind, number } = matchFormatOf(match);
  return kind === "first_to" ? `First to ${number}` : `Best of ${number}`;
}

/** @type {Record<string, string>} */
const JUDGES = { rollouts: "simulated play", network: "the network" };

/** @param {string} spec an agent, or what judges @returns {string} its name for people; the specification if it has none */
export function agentTitle(spec) {
  return dataNow().catalog.agents.find((agent) => agent.spec === spec)?.title ?? JUDGES[spec] ?? spec;
}

/** @param {string} rules @returns {import("./data.js").GameEntry} the game that has a scoring of these rules */
export function gameOf(rules) {
  const { games } = dataNow().catalog;
  return (
    games.find(({ id }) => id === rules) ??
    games.find(({ scorings }) => scorings.some((one) => one.rules === rules)) ??
    games[0]
  );
}

/** @param {string} rules @returns {string[]} the agents that the page offers for a game, the easiest first */
export function agentsFor(rules) {
  const game = gameOf(rules);
  return game.scorings.find((one) => one.rules === rules)?.agents ?? game.agents;
}

const MEASURED = "classic"; // the game in which the accuracies of the agents were measured; they differ in others

/** @param {string} rules @returns {boolean} whether the accuracies of the agents were measured in a game, whatever its scoring */
export const hasAccuracies = (rules) =>
  knowsRules(rules) && differInScoringOnly(rulesNamed(MEASURED), rulesNamed(rules));

/** @param {number | null} accuracy the one in the game in which they were measured @returns {string | null} the title of the agent whose accuracy is nearest */
export function playsLike(accuracy) {
  if (accuracy === null) return null;
  const measured = dataNow().catalog.agents.flatMap(({ title, accuracy: own }) =>
    own === null ? [] : [{ title, distance: Math.abs(own - accuracy) }],
  );
  return measured.reduce((best, agent) => (agent.distance < best.distance ? agent : best)).title;
}
