// @ts-check
/** Numbers and names that the page shares with Python, which writes them into `data.json` (`table/page_data.py`). */

/**
 * @typedef {object} NonCardAction
 * @property {number} number
 * @property {string} name  in text
 * @property {"draft" | "humbug"} setting  of the rules that allows it
 * @property {string} clause  what a player does: `{s}` is the verb's ending, `{card}` the face-up card; empty where the cards tell it
 */

/**
 * @typedef {object} Constants
 * @property {{ play: number, pick: number, pickAfter: number, draft: number, exchange: number }} decisions  what the seat to act chooses
 * @property {NonCardAction[]} nonCardActions  actions that are not cards, each with the setting of the rules that allows it
 * @property {string[]} rewards  by number
 * @property {number} maxTarget  the largest number of a match
 * @property {number} networkSd  standard deviation of the error of a network's advantages, in margin
 * @property {number} winPerTrick  what a trick of margin is worth in chance to win, for errors
 * @property {Judgements} judgements
 */

/**
 * @typedef {object} Judgements
 * @property {number} sure  standard errors that a difference has to exceed before an action is criticised for it
 * @property {number} same  tricks below which two actions are as good as each other
 * @property {number} sameWin  the same of the chance to win
 * @property {[label: import("../game/types.js").Label, tricks: number, win: number][]} least  what has to be given away at least, in tricks or in chance to win
 */

/** The constants, once the data are loaded. */
export const constants = /** @type {Constants} */ ({});

/** @param {Constants} json as Python writes them */
export const setConstants = (json) => void Object.assign(constants, json);
