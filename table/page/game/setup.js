// @ts-check
/** What is played in a session: rules, agent, match, seed and seat. */

import { rulesNamed } from "../engine/rules.js";
import { matchFormatOf } from "./match_format.js";

/**
 * What is played.
 *
 * @typedef {object} Setup
 * @property {string} rules specification of the rules
 * @property {string} agent specification of the agent
 * @property {string | null} match specification of the match; null for deal after deal without end
 * @property {number} seed of the deals and of the agent's random choices
 * @property {number} seat the person's; seat 0 deals the first deal
 * @property {string | null} day the date of a deal of the day; there is one deal then
 * @property {import("./types.js").SessionKind} kind
 */

const DAY_RULES = "classic";
const DAY_AGENT = "heuristic"; // the same for everybody, so that results can be compared; it always plays the same card

/** @param {Partial<Setup> & {rules: string, agent: string}} given @returns {Setup} with defaults, checked @throws {Error} if a value is not allowed */
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

/** @param {number} [now] milliseconds since 1970 @returns {string} the date where the person is, as `2026-11-21` */
export function today(now = Date.now()) {
  const date = new Date(now);
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/**
 * The setup of the deal of a day: the same deal for everybody, from the date alone. The seed is the date as a number,
 * 20261121; whoever leads the first trick, seat 1, is the person.
 *
 * @param {string} day
 * @returns {Setup}
 * @throws {Error} if it is not a date such as `2026-11-21`
 */
export function daySetup(day) {
  const date = new Date(`${day}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== day) {
    throw new Error(`The day must be a date such as 2026-11-21, not ${day}.`);
  }
  return setupOf({ rules: DAY_RULES, agent: DAY_AGENT, seed: Number(day.replaceAll("-", "")), seat: 1, day });
}
