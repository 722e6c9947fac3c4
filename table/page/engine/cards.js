// @ts-check
/**
 * Cards, actions, sets of them, and their text (`game/cards.py`, `actions.py`, `game/utils/bit_kernels.py`).
 *
 * A card is the integer `13 * suit + rank`, suits C D H S = 0…3, ranks 2…A = 0…12. The 64-bit masks of Python are cut
 * at the suits, because JavaScript's bit operations have 32 bits: a mask is five integers, one for the 13 cards of each
 * suit, and one whose two lowest bits are the actions 52 and 53 (take and leave, or keep and swap). So bit `a % 13` of
 * integer `a / 13` stands for action `a`. Masks never change: every function returns a new one.
 */

import { constants } from "./constants.js";

/** @import { Rules } from "./rules.js" */

/** @typedef {readonly number[]} Mask five integers of up to 13 bits */

export const SUITS = "CDHS";
export const RANKS = "23456789TJQKA";
export const NUM_CARDS = 52;
export const SUIT_SIZE = 13;
export const NO_CARD = -1;

/** @type {Mask} */
export const NONE = Object.freeze([0, 0, 0, 0, 0]);

/** @param {number} card @returns {number} its suit; 4 for actions that are not cards */
export const suitOf = (card) => (card / 13) | 0;

/** @param {number} card @returns {Mask} the mask of one card */
function cardBit(card) {
  const suit = suitOf(card);
  const bit = 1 << (card - 13 * suit);
  return [suit === 0 ? bit : 0, suit === 1 ? bit : 0, suit === 2 ? bit : 0, suit === 3 ? bit : 0, suit === 4 ? bit : 0];
}

/** @param {Mask} a @param {Mask} b @returns {Mask} `a | b` */
export const union = (a, b) => [a[0] | b[0], a[1] | b[1], a[2] | b[2], a[3] | b[3], a[4] | b[4]];

/** @param {Mask} a @param {Mask} b @returns {Mask} `a & b` */
export const intersection = (a, b) => [a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3], a[4] & b[4]];

/** @param {Mask} a @param {Mask} b @returns {Mask} `a & ~b` */
export const difference = (a, b) => [a[0] & ~b[0], a[1] & ~b[1], a[2] & ~b[2], a[3] & ~b[3], a[4] & ~b[4]];

/** @param {Mask} mask @param {number} card @returns {Mask} the mask with the card added */
export const withCard = (mask, card) => union(mask, cardBit(card));

/** @param {Mask} mask @param {number} card @returns {Mask} the mask with the card removed */
export const withoutCard = (mask, card) => difference(mask, cardBit(card));

/** @param {Mask} mask @param {number} suit @returns {Mask} its cards of one suit: `mask & suit_mask(suit)` */
export const ofSuit = (mask, suit) => NONE.map((_, index) => (index === suit ? mask[suit] : 0));

/** @param {Mask} mask @param {number} card @returns {boolean} */
export const has = (mask, card) => ((mask[suitOf(card)] >> (card % 13)) & 1) === 1;

/** @param {Mask} mask @returns {boolean} */
export const isEmpty = (mask) => (mask[0] | mask[1] | mask[2] | mask[3] | mask[4]) === 0;

/** @param {number} bits 16 of them at most @returns {number} how many are set */
function countBits(bits) {
  // Neighbouring counts are added in parallel: of single bits, then of pairs, fours and eights.
  bits -= (bits >> 1) & 0x5555;
  bits = (bits & 0x3333) + ((bits >> 2) & 0x3333);
  bits = (bits + (bits >> 4)) & 0x0f0f;
  return (bits + (bits >> 8)) & 0x1f;
}

/** @param {number} bits not 0 @returns {number} place of the lowest that is set, which `bits & -bits` keeps alone */
const lowestBit = (bits) => 31 - Math.clz32(bits & -bits);

/** @param {Mask} mask @returns {number} how many cards or actions it holds */
export const popcount = (mask) =>
  countBits(mask[0]) + countBits(mask[1]) + countBits(mask[2]) + countBits(mask[3]) + countBits(mask[4]);

/** @param {Mask} mask @returns {number} its lowest card; 64 if it is empty */
export function lowest(mask) {
  for (let suit = 0; suit < 5; suit++) if (mask[suit]) return 13 * suit + lowestBit(mask[suit]);
  return 64;
}

/** @param {Mask} mask @returns {number[]} its cards or actions, lowest number first */
export function cardsOf(mask) {
  const cards = [];
  for (let suit = 0; suit < 5; suit++) {
    // `bits & (bits - 1)` clears the lowest.
    for (let bits = mask[suit]; bits; bits &= bits - 1) cards.push(13 * suit + lowestBit(bits));
  }
  return cards;
}

/** @param {Iterable<number>} cards @returns {Mask} */
export function maskOf(cards) {
  const mask = [...NONE];
  for (const card of cards) mask[suitOf(card)] |= 1 << (card % 13);
  return mask;
}

/** @param {number} card @returns {string} suit then rank, as `SA` */
export const cardText = (card) => SUITS[suitOf(card)] + RANKS[card % 13];

/**
 * @param {string} text a card as suit then rank, in any case
 * @returns {number}
 * @throws {Error} if it is not a card
 */
export function parseCard(text) {
  const word = text.trim().toUpperCase();
  const suit = word.length === 2 ? SUITS.indexOf(word[0]) : -1;
  const rank = suit < 0 ? -1 : RANKS.indexOf(word[1]);
  if (rank < 0) {
    throw new Error(`"${text}" is not a card: write the suit (C D H S), then the rank (2-9 T J Q K A), as in SA`);
  }
  return SUIT_SIZE * suit + rank;
}

/** @param {Iterable<number>} deck @returns {string} its cards in dealing order, separated by spaces */
export const deckText = (deck) => [...deck].map(cardText).join(" ");

/**
 * @param {string | readonly number[]} deck text as `"C2 SA …"`, or card numbers
 * @param {readonly number[]} cards the cards of the game's deck
 * @returns {number[]} card numbers in dealing order
 * @throws {Error} if a card is unknown, not in the game's deck, missing or given twice
 */
export function parseDeck(deck, cards) {
  const order = typeof deck === "string" ? deck.trim().split(/\s+/).map(parseCard) : [...deck];
  const seen = new Set();
  for (const card of order) {
    if (!cards.includes(card)) throw new Error(`deck: card ${card} is not in this game's deck of ${cards.length}`);
    if (seen.has(card)) throw new Error(`deck: card ${cardText(card)} appears twice`);
    seen.add(card);
  }
  const missing = cards.find((card) => !seen.has(card));
  if (missing !== undefined) {
    throw new Error(`deck: ${order.length} cards given, ${cards.length} needed; ${cardText(missing)} is missing`);
  }
  return order;
}

/** @param {number} action @param {Rules} rules @returns {import("./constants.js").NonCardAction | undefined} what it is if it is not a card */
export const nonCardAction = (action, rules) =>
  constants.nonCardActions.find((one) => one.number === action && rules[one.setting]);

/** @param {number} action @param {Rules} rules @returns {string} a card as `SA`, or a choice by its name */
export const actionText = (action, rules) => nonCardAction(action, rules)?.name ?? cardText(action);

/**
 * @param {string} word an action as text, in any case
 * @param {Rules} rules
 * @returns {number}
 * @throws {Error} if it is neither a card nor a choice of these rules
 */
export function parseAction(word, rules) {
  const name = word.trim().toLowerCase();
  return constants.nonCardActions.find((one) => one.name === name && rules[one.setting])?.number ?? parseCard(word);
}

/** @param {Mask} mask @param {Rules} rules @returns {string} cards as `SA S9 HT`, choices as `take or leave` */
export function actionsText(mask, rules) {
  if (mask[4])
    return cardsOf(mask)
      .map((action) => actionText(action, rules))
      .join(" or ");
  return cardsOf(mask).reverse().map(cardText).join(" ");
}
