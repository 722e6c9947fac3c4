// @ts-check
/** Actions as text: cards as `SA`, and the choices that are not cards by name (`envs/engine/actions.py`). */

import { cardsOf, cardText, NUM_CARDS, parseCard } from "./cards.js";

/** @import { Rules } from "./rules.js" */

const TAKE_OR_LEAVE = ["take", "leave"], KEEP_OR_SWAP = ["keep", "swap"];

/** @param {Rules} rules @returns {string[]} the names of the actions from 52 on, in order */
export const choiceNames = (rules) => (rules.draft ? TAKE_OR_LEAVE : rules.humbug ? KEEP_OR_SWAP : []);

/** @param {number} action @param {Rules} rules @returns {string} a card as `SA`, or a choice by its name */
export const actionText = (action, rules) => (action < NUM_CARDS ? cardText(action) : choiceNames(rules)[action - NUM_CARDS]);

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

/** @param {import("./cards.js").Mask} mask @param {Rules} rules @returns {string} cards as `SA S9 HT`, choices as `take or leave` */
export function actionsText(mask, rules) {
  if (mask[4]) return cardsOf(mask).map((action) => actionText(action, rules)).join(" or ");
  return cardsOf(mask).reverse().map(cardText).join(" ");
}
