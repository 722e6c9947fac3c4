// @ts-check
/** Numbers and words, formatted as Python formats them, so that both write the same sentences. */

/**
 * Round to a number of decimals, ties to the even digit, as Python does.
 *
 * @param {number} value
 * @param {number} [digits]
 * @returns {number}
 */
export function round(value, digits = 0) {
  // `toFixed` is right but for exact ties, which only multiples of 2 ** -(digits + 1) can be. + 0 turns −0 into 0.
  const halves = 2 * 10 ** digits * value;
  const isHalf = Number.isInteger(value * 2 ** (digits + 1)) && Number.isInteger(halves) && halves % 2 !== 0;
  return (isHalf ? (2 * Math.round(halves / 4)) / 10 ** digits : Number(value.toFixed(digits))) + 0;
}

/** @param {number} value @returns {string} six digits at most, as Python's `g` */
export function general(value) {
  return String(Number(value.toPrecision(6)) + 0);
}

/** @param {number | null} share 0 to 1 @returns {string} `57 %` */
export function percent(share) {
  return share === null ? "–" : `${round(100 * share)} %`;
}

/** @param {number} count @param {string} noun @returns {string} `1 trick`, `2 tricks`, `2.5 points` */
export function countText(count, noun) {
  return `${general(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** @param {string} day as `2026-11-21` @returns {string} `21 Nov 2026` */
export const dateText = (day) => new Date(day).toLocaleDateString("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** @param {number} time milliseconds since 1970 @returns {string} `21 Nov 2026, 13:45` */
export const timeText = (time) => new Date(time).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });

/** @param {string[]} words @param {string} [last] @returns {string} a list in a sentence */
export function joinWords(words, last = "and") {
  return words.length === 1 ? words[0] : `${words.slice(0, -1).join(", ")} ${last} ${words[words.length - 1]}`;
}

/** @param {string} text @returns {string} the text with a capital first letter */
export function capital(text) {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The name of a player who is addressed in the second person. */
export const YOU = "You";

/**
 * @param {string} name the player; `You` takes the second person
 * @param {string} words the rest, with `{s}` where the third person has an ending
 * @returns {string} what a player does
 */
export function clause(name, words) {
  return `${name} ${words.replaceAll("{s}", name === YOU ? "" : "s")}`;
}

/** @param {string} name @param {string} words those of `clause` @returns {string} */
export function sentence(name, words) {
  return `${clause(name, words)}.`;
}
