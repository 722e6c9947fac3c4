// @ts-check
/**
 * Rules are data (`game/rules.py`): Python writes every preset and every scoring that the page offers
 * (`table/page_data.py`). Nothing here checks or derives a rule.
 */

/**
 * The rules as the engine reads them, Python's `GAME` record.
 *
 * @typedef {object} Game
 * @property {number} cards  cards in the deck
 * @property {number} hand  cards in a hand
 * @property {import("./cards.js").Mask} deck  the cards of the deck
 * @property {number} openStock  cards of the stock that lie face up
 * @property {number} hasTrump  1 if the first card turned up names trumps
 * @property {number} highLow
 * @property {number} draft
 * @property {number} humbug  1 if four hands are dealt and no stock, and hands may be swapped
 * @property {number} hasChoices  1 if some decisions are not cards from the hand
 * @property {number} race
 * @property {number} allCount  1 if foreplay tricks count too
 * @property {number} points  how the winner's points are counted
 * @property {number} book
 * @property {number} slam
 * @property {number} counted  tricks that count in a deal
 */

/**
 * The rules of one game, Python's `Rules`.
 *
 * @typedef {object} Rules
 * @property {string} spec  the specification that names them: a preset, or a preset with changed settings
 * @property {number} suits
 * @property {number} ranks
 * @property {number} hand  cards in each hand
 * @property {number} stock  cards in the stock
 * @property {number} openStock
 * @property {"turned" | "none"} trump
 * @property {boolean} highLow
 * @property {boolean} draft
 * @property {boolean} humbug
 * @property {number} race
 * @property {"endgame" | "all"} counts  the tricks that count
 * @property {"difference" | "over_book" | "over_half"} points
 * @property {number | null} book
 * @property {number} slam
 * @property {readonly number[]} cards  the cards of the deck in standard order
 * @property {number} foreplay  tricks in the foreplay
 * @property {number} tricks  tricks in a deal, both stages together
 * @property {number} counted  tricks that count in a deal
 * @property {boolean} hasChoices  whether some decisions are not cards from the hand
 * @property {Game} game  the rules as the engine reads them
 */

/** @type {Map<string, Rules>} */
const named = new Map();

/** @param {readonly Rules[]} json as Python writes them */
export function setRules(json) {
  named.clear();
  for (const rules of json) named.set(rules.spec, rules);
}

/**
 * @returns {string[]} the specifications that `rulesNamed` knows: presets and scorings, in the order of the catalogue
 */
export const ruleSpecs = () => [...named.keys()];

/**
 * @param {string} spec a preset, or one with changed settings as the catalogue writes it
 * @returns {Rules}
 * @throws {Error} if there are no such rules
 */
export function rulesNamed(spec) {
  const rules = named.get(spec);
  if (!rules) throw new Error(`unknown rules "${spec}": this page knows ${ruleSpecs().join("; ")}`);
  return rules;
}

const SCORING = ["spec", "points", "book", "slam", "game"];

/** @param {Rules} rules @param {Rules} other @returns {boolean} whether nothing but the scoring differs */
export function differInScoringOnly(rules, other) {
  const fields = /** @type {(keyof Rules)[]} */ (Object.keys(rules)).filter((field) => !SCORING.includes(field));
  return fields.every((field) => String(rules[field]) === String(other[field]));
}
