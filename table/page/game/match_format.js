// @ts-check
/** Match formats: how many deals make a match, and who wins it (`envs/engine/match_format.py`). */

const MAX_TARGET = 1000;

/** @typedef {{kind: "first_to" | "best_of", number: number}} MatchFormat */

/** @param {string} match as `first_to:25` @returns {MatchFormat} @throws {Error} if there is no such match */
export function matchFormatOf(match) {
  const [kind, number] = [match.split(":")[0], Number(match.split(":")[1])];
  const isTarget = Number.isInteger(number) && number >= 1 && number <= MAX_TARGET;
  if ((kind !== "first_to" && kind !== "best_of") || !isTarget || (kind === "best_of" && number % 2 === 0)) {
    throw new Error(`match must be first_to:1 to first_to:${MAX_TARGET}, or best_of: and an odd number, got ${match}`);
  }
  return { kind, number };
}

/** @param {MatchFormat} match @returns {number} the score that wins: points, or deals won */
export const targetOf = ({ kind, number }) => (kind === "first_to" ? number : Math.floor(number / 2) + 1);

/** @param {MatchFormat} match @param {[number, number]} scores by seat @returns {number | null} the winning seat; null while there is none */
export function winnerOf(match, [first, second]) {
  if (Math.max(first, second) < targetOf(match) || first === second) return null;
  return first > second ? 0 : 1;
}
