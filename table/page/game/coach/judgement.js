// @ts-check
/** How good an action is, in a word: by what it gives away against the judge's choice, and by how sure that is; and how well a player did (`agents/judge.py`). */

import { cardsOf, has, suitOf, union } from "../../engine/cards.js";
import { constants } from "../../engine/constants.js";
import { round } from "../wording.js";

/** @typedef {import("../types.js").Label} Label */
/** @typedef {import("../../judge/advice.js").Advice} Advice */
/** @typedef {import("../../engine/view.js").View} View */

const AVERAGE = 30; // accuracy in per cent of cards that give away as much as the average legal card

/**
 * What is said of an action.
 *
 * @typedef {object} Judgement
 * @property {Label} label how good it is
 * @property {number} tricks given away
 * @property {number} win chance to win given away
 */

/** @param {{label: Label}} judgement @returns {boolean} whether another action would have been better, beyond doubt and by enough to speak of */
export const isCriticised = ({ label }) => constants.judgements.least.some(([name]) => name === label);

/** @param {Label} label @returns {string} "a mistake" */
export const withArticle = (label) => `${label === "inaccuracy" ? "an" : "a"} ${label}`;

/** @param {Advice} advice @param {number} action @returns {Judgement} one that wins more often than the judge's choice gives nothing away */
export function judge(advice, action) {
  const { sure, same, sameWin, least } = constants.judgements;
  const place = advice.actions.indexOf(action);
  const lost = advice.lost[place];
  const win = advice.wins[0] - advice.wins[place];
  const tricks = win >= 0 ? Math.max(0, lost) : 0;
  if (place === 0 || (advice.exact ? lost <= 0 && win >= 0 : lost < same && win < sameWin))
    return { label: "best", tricks, win: Math.max(0, win) };
  if (win < 0) return { label: "good", tricks: 0, win: 0 };
  const sureTricks = tricks > sure * advice.lostErrors[place] ? tricks : 0;
  const sureWin = win > sure * advice.winErrors[place] ? win : 0;
  for (const [label, leastTricks, leastWin] of least) {
    if (sureTricks >= leastTricks || sureWin >= leastWin) return { label, tricks, win };
  }
  return { label: "good", tricks, win };
}

/** @param {View} view @param {number} one of the seat's cards @param {number} other @returns {boolean} whether they are as good by the rules: no card that may still be played lies between them */
export function areEqual({ unseen, opponentKnown, faceUp, led }, one, other) {
  const between = (/** @type {number} */ card) => card > Math.min(one, other) && card < Math.max(one, other);
  return (
    suitOf(one) === suitOf(other) &&
    !between(led) &&
    !cardsOf(union(union(unseen, opponentKnown), faceUp)).some(between)
  );
}

/** @param {Advice} advice @param {View} view @returns {Advice} advice whose first card is the lowest of those as good by the rules, with the same values */
export function lowestOfEquals(advice, view) {
  const [best] = advice.actions;
  if (view.choice) return advice;
  const lowest = cardsOf(view.hand).find((card) => has(view.legal, card) && areEqual(view, card, best));
  if (lowest === undefined || lowest === best) return advice;
  const place = advice.actions.indexOf(lowest);
  const inFront = (/** @type {number[]} */ values) => [values[0], ...values.toSpliced(place, 1)];
  const { tricks, opponentTricks, lost, lostErrors, wins, winErrors, trick } = advice;
  return {
    ...advice,
    actions: [lowest, ...advice.actions.toSpliced(place, 1)],
    tricks: inFront(tricks),
    opponentTricks: inFront(opponentTricks),
    lost: inFront(lost),
    lostErrors: inFront(lostErrors),
    wins: inFront(wins),
    winErrors: inFront(winErrors),
    trick: inFront(trick),
  };
}

/** @param {Advice} advice @returns {number} how many tricks a decision puts at stake */
export function atStake({ lost }) {
  return Math.max(0, lost.reduce((total, tricks) => total + tricks, 0) / lost.length);
}

/** @param {number} givenAway tricks that decisions gave away together @param {number} staked tricks that they put at stake @returns {number | null} per cent; null where nothing was at stake */
export function accuracyOf(givenAway, staked) {
  if (staked <= 0) return null;
  return round(Math.max(0, 100 - ((100 - AVERAGE) * givenAway) / staked), 1);
}
