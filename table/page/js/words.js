// @ts-check
/** Cards, suits and numbers in words. */

import { parseCard, SUITS } from "../engine/cards.js";
import { cardName as nameOf, SUIT_NAMES as NAMES } from "../game/deal/words.js";
import { countText } from "../game/wording.js";

export { tricksText } from "../game/deal/words.js";
export { capital } from "../game/wording.js";

export const counted = countText;
/** @type {Record<string, string>} */
export const SUIT_NAMES = Object.fromEntries([...SUITS].map((suit, place) => [suit, NAMES[place]]));
/** @type {Record<string, string>} */
export const SUIT_SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const RANKS = "23456789TJQKA";
const CHOICES = ["take", "leave", "keep", "swap"];

/** @param {string} card @returns {string} "queen of hearts" */
export const cardName = (card) => nameOf(parseCard(card));

/** @param {string} action @returns {boolean} whether the action is a card, not a choice */
export const isCard = (action) => !CHOICES.includes(action);

/** @param {string} action @returns {string} "Q♥", or the choice */
export function shortName(action) {
  if (!isCard(action)) return action;
  return `${action[1] === "T" ? "10" : action[1]}${SUIT_SIGNS[action[0]]}`;
}

/** @param {string} time @param {Intl.DateTimeFormatOptions} parts @returns {string} in English, as the rest of the page: "21 Nov 2026, 13:45" */
export const timeText = (time, parts) => new Date(time).toLocaleString("en-GB", parts);

/** @param {number} value @param {number} [digits] @returns {string} with sign, and a true minus */
export function signed(value, digits = 1) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return (value < 0 ? "−" : "+") + text;
}

/** @param {number | null | undefined} share from 0 to 1 @returns {string} */
export function percent(share) {
  return share === null || share === undefined ? "–" : `${Math.round(100 * share)} %`;
}

/** @param {number} change a difference of chances @returns {string} "+57 points", "−1 point" */
export function points(change) {
  const number = Math.round(100 * change);
  return `${signed(number, 0)} ${Math.abs(number) === 1 ? "point" : "points"}`;
}

/**
 * Return the order of the suits in a hand.
 *
 * @param {"alternate" | "classic"} order alternate: trumps first, then alternating colours
 * @param {string | null} trump
 * @returns {string}
 */
export function suitOrder(order, trump) {
  if (order === "classic") return "SHDC";
  if (trump === null) return "SHCD";
  return { S: "SHCD", C: "CHSD", H: "HSDC", D: "DSHC" }[trump] ?? "SHCD";
}

/**
 * Return cards in the order of a hand: by suit, then from high to low.
 *
 * @param {string[]} cards
 * @param {string} order of the suits
 * @returns {string[]}
 */
export function sortCards(cards, order) {
  return [...cards].sort(
    (one, other) => order.indexOf(one[0]) - order.indexOf(other[0]) || RANKS.indexOf(other[1]) - RANKS.indexOf(one[1]),
  );
}
