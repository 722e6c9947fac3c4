// @ts-check
/** Accuracy: what a player gave away, in relation to what average cards would have given away (`agents/judge.py`). */

import { round } from "../wording.js";

const AVERAGE = 30; // per cent, of cards that give away as much as the average legal card

/** @param {import("../../judge/advice.js").Advice} advice @returns {number} how many tricks a decision puts at stake */
export function atStake({ lost }) {
  return Math.max(0, lost.reduce((total, tricks) => total + tricks, 0) / lost.length);
}

/** @param {number} givenAway tricks that decisions gave away together @param {number} staked tricks that they put at stake @returns {number | null} per cent; null where nothing was at stake */
export function accuracyOf(givenAway, staked) {
  if (staked <= 0) return null;
  return round(Math.max(0, 100 - ((100 - AVERAGE) * givenAway) / staked), 1);
}
