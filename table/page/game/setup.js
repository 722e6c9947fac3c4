// @ts-check
/** What is played in a session: rules, agent, match, seed and seat; match formats (`game/match_format.py`). */

import { constants } from "../engine/constants.js";
import { rulesNamed } from "../engine/rules.js";
import { dateText } from "./wording.js";

/**
 * What is played.
 *
 * @typedef {object} Setup
 * @property {string} rules specification of the rules
 * @property {string} agent specification of the agent
 * @property {string | null} match specification of the match; null for deal after deal without end
 * @property {number} seed the deals' and the agent's random numbers follow from it
 * @property {number} seat the player's; seat 0 deals the first deal
 * @property {string | null} day the date of a deal of the day; there is one deal then
 * @property {import("./types.js").SessionKind} kind
 */

const DAY_RULES = "classic";
const DAY_AGENT = "heuristic"; // the same for everybody, so that results can be compared; it always plays the same card

/** @param {Partial<Setup> & {rules: string, agent: string}} given @returns {Setup} the setup with defaults, checked @throws {Error} if a value is not allowed */
export function setupOf(given) {
  const setup = { match: null, seed: 0, seat: 0, day: null, kind: /** @type {const} */ ("play"), ...given };
  rulesNamed(setup.rules);
  if (setup.match !== null) matchFormatOf(setup.match);
  return setup;
}

/** @returns {number} a new seed, of 53 bits: JavaScript's numbers are exact below 2⁵³ */
export function randomSeed() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high >>> 11) * 2 ** 32 + low;
}

/** @returns {string} the date where the player is, as `2026-11-21` */
export function today() {
  const date = new Date();
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const FIRST_ZONE = 14 * 3600e3; // milliseconds: where a day begins first, it is later by so much than in UTC

/**
 * The setup of the deal of a day: the same deal for everybody, from the date alone. The seed is the date as a number,
 * 20261121; whoever leads the first trick, seat 1, is the player.
 *
 * @param {string} day
 * @returns {Setup}
 * @throws {Error} if it is not a date such as `2026-11-21`, or has begun nowhere yet
 */
export function daySetup(day) {
  const date = new Date(`${day}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== day) {
    throw new Error(`The day must be a date such as 2026-11-21, not ${day}.`);
  }
  if (day > new Date(Date.now() + FIRST_ZONE).toISOString().slice(0, 10))
    throw new Error(`The deal of ${dateText(day)} is not there yet: come back on that day.`);
  return setupOf({ rules: DAY_RULES, agent: DAY_AGENT, seed: Number(day.replaceAll("-", "")), seat: 1, day });
}

/** @typedef {{kind: "first_to" | "best_of", number: number}} MatchFormat */

/** @param {string} match as `first_to:25` @returns {MatchFormat} @throws {Error} if there is no such match */
export function matchFormatOf(match) {
  const [, kind, digits] = /^(first_to|best_of):(\d+)$/.exec(match) ?? [];
  const number = Number(digits);
  const isTarget = number >= 1 && number <= constants.maxTarget;
  if ((kind !== "first_to" && kind !== "best_of") || !isTarget || (kind === "best_of" && number % 2 === 0)) {
    throw new Error(
      `match must be first_to:1 to first_to:${constants.maxTarget}, or best_of: and an odd number, got ${match}`,
    );
  }
  return { kind, number };
}

/** @param {MatchFormat} match @returns {number} the score that wins: points, or deals won */
const targetOf = ({ kind, number }) => (kind === "first_to" ? number : Math.floor(number / 2) + 1);

/** @param {MatchFormat} match @param {[number, number]} scores the scores by seat @returns {number | null} the winning seat; null while there is none */
export function winnerOf(match, [first, second]) {
  if (Math.max(first, second) < targetOf(match) || first === second) return null;
  return first > second ? 0 : 1;
}
