// @ts-check
/** Cards, suits and numbers in words. */

/** @type {Record<string, string>} */
export const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
/** @type {Record<string, string>} */
export const SUIT_SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };
const RANKS = "23456789TJQKA";
/** @type {Record<string, string>} */
const RANK_NAMES = {
  2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine", T: "ten",
  J: "jack", Q: "queen", K: "king", A: "ace",
};
const CHOICES = ["take", "leave", "keep", "swap"];

/** @param {string} card @returns {string} "queen of hearts" */
export function cardName(card) {
  return `${RANK_NAMES[card[1]]} of ${SUIT_NAMES[card[0]]}`;
}

/** @param {string} action @returns {boolean} whether the action is a card, not a choice */
export function isCard(action) {
  return !CHOICES.includes(action);
}

/** @param {string} action @returns {string} "Q♥", or the choice */
export function shortName(action) {
  if (!isCard(action)) return action;
  return `${action[1] === "T" ? "10" : action[1]}${SUIT_SIGNS[action[0]]}`;
}

/** @param {string} text @returns {string} */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

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

/** @param {number} tricks @param {boolean} exact @returns {string} "7.4 tricks", "1 trick" */
export function tricksText(tricks, exact = false) {
  return counted(exact ? tricks : Number(tricks.toFixed(1)), "trick");
}

/** @param {number} count @param {string} word @returns {string} "1 trick", "2 tricks" */
export function counted(count, word) {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
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
