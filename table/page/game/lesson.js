// @ts-check
/** A lesson in the rules: a short deal with a fixed deck, in which a teacher says what to play and why. */

import { actionText, parseAction } from "../engine/actions.js";
import { popcount } from "../engine/cards.js";
import { dataNow } from "./data.js";
import { joinWords } from "./wording.js";
import { actionName } from "./deal/words.js";

/** @typedef {import("./deal/table_deal.js").TableDeal} TableDeal */

/** @param {TableDeal} deal @returns {number | null} the teacher's next card of the script; null in the endgame */
export function teacherCard(deal) {
  const view = deal.view(deal.turn);
  return view.stock ? parseAction(dataNow().lesson.plays[popcount(view.playedSelf)], deal.rules) : null;
}

/** @param {TableDeal} deal @returns {import("./types.js").Lesson} what the teacher says now */
export function lessonData(deal) {
  const { steps, end } = dataNow().lesson;
  if (deal.done) return { step: steps.length, steps: steps.length, text: end, wanted: null, done: true };
  const step = stepOf(deal);
  const [text, wanted] = steps[step];
  return { step: step + 1, steps: steps.length, text, wanted: wanted.length === 0 ? null : wanted, done: false };
}

/** @param {TableDeal} deal @param {number} action @returns {string | null} why it is not the one that the lesson asks for; null if it is */
export function lessonRefusal(deal, action) {
  const wanted = dataNow().lesson.steps[stepOf(deal)][1];
  if (wanted.length === 0 || wanted.includes(actionText(action, deal.rules))) return null;
  const names = wanted.map((word) => `the ${actionName(parseAction(word, deal.rules), deal.rules)}`);
  return `Not yet: play ${joinWords(names, "or")}.`;
}

/** @param {TableDeal} deal @returns {number} the person's decisions so far */
function stepOf(deal) {
  const { seat } = dataNow().lesson;
  return deal.actions.filter((_, step) => deal.actor(step) === seat).length;
}
