// @ts-check
/** Cards and numbers in few letters, and the order of a hand. */

import { NUM_CARDS, RANKS, SUIT_SIZE, SUITS, suitOf } from "../engine/cards.js";

export const SUIT_SIGNS = "♣♦♥♠";
const ALTERNATE = ["CHSD", "DSHC", "HSDC", "SHCD"]; // an order for each trump suit, which comes first

/** @param {number} action @returns {boolean} whether the action is a card, not a choice */
export const isCard = (action) => action < NUM_CARDS;

/** @param {number} action @param {string} [name] a choice @returns {string} "Q♥", or the choice */
export function shortName(action, name = "") {
  if (!isCard(action)) return name;
  const rank = RANKS[action % SUIT_SIZE];
  return `${rank === "T" ? "10" : rank}${SUIT_SIGNS[suitOf(action)]}`;
}

/** @param {number} value @param {number} [digits] @returns {string} the value with its sign, a true minus */
export function signed(value, digits = 1) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

/**
 * Return the order of the suits in a hand.
 *
 * @param {"alternate" | "classic"} order alternate: trumps first, then alternating colours
 * @param {number} trump −1 for none
 * @returns {number[]}
 */
export function suitOrder(order, trump) {
  return [...(order === "classic" ? "SHDC" : (ALTERNATE[trump] ?? "SHCD"))].map((suit) => SUITS.indexOf(suit));
}

/**
 * Return cards in the order of a hand: by suit, then from high to low.
 *
 * @param {Iterable<number>} cards
 * @param {number[]} order the suits in order
 * @returns {number[]}
 */
export function sortCards(cards, order) {
  return [...cards].sort((one, other) => order.indexOf(suitOf(one)) - order.indexOf(suitOf(other)) || other - one);
}
