// @ts-check
/** Margins as tricks: people count tricks; the engine, the agents and the solver count margins (`agents/judge.py`). */

/** @typedef {import("../engine/rules.js").Rules} Rules */

/**
 * @param {number} margin the finished deal's; except in a race, an expected margin will do
 * @param {Rules} rules
 * @param {boolean} [low] whether the endgame is played low
 * @returns {number} the counted tricks that a seat takes
 */
export function tricksTaken(margin, rules, low = false) {
  const { counted } = rules;
  if (rules.race) {
    // the winner takes as many as it needs, or more than half of all
    return Math.min(rules.race, (counted + Math.abs(margin)) / 2) + (margin - Math.abs(margin)) / 2;
  }
  return (counted + (low ? -margin : margin)) / 2;
}

/**
 * A trick changes the margin by two. In a race it changes it by one, because the tricks left over are not played, but for
 * the trick that decides who wins.
 *
 * @param {number} margin the loss of expected margin
 * @param {number} win the loss of chance to win
 * @param {Rules} rules
 * @returns {number} how many tricks have to be lost for it
 */
export function tricksLost(margin, win, rules) {
  return rules.race ? margin - win : margin / 2;
}
