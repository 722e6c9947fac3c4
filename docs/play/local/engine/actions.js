// @ts-check
/** Actions as text: cards as `SA`, and the choices that are not cards by name (`envs/engine/actions.py`). */

import { cardsOf, cardText, NUM_CARDS, parseCard } from "./cards.js";

/** @import { Rules } from "./rules.js" */

const TAKE_OR_LEAVE = ["take", "leave"];

/** @param {Rules} rules @returns {string[]} the names of the actions from 52 on, in order */
export const choiceNames = (rules) => (rules.draft ? TAKE_OR_LEAVE : []);

/** @param {number} action @returns {string} a card as `SA`, or `take`, `leave` */
export const actionText = (action) => (action < NUM_CARDS ? cardText(action) : TAKE_OR_LEAVE[action - NUM_CARDS]);

/**
 * @param {string} word an action as text, in any case
 * @param {Rules} rules
 * @returns {number}
 * @throws {Error} if it is neither a card nor a choice of these rules
 */
export function parseAction(word, rules) {
  const choice = choiceNames(rules).indexOf(word.trim().toLowerCase());
  return choice >= 0 ? NUM_CARDS + choice : parseCard(word);
}

/** @param {import("./cards.js").Mask} mask @returns {string} cards as `SA S9 HT`, choices as `take or leave` */
export function actionsText(mask) {
  if (mask[4]) return cardsOf(mask).map(actionText).join(" or ");
  return cardsOf(mask).reverse().map(cardText).join(" ");
}
