// @ts-check
/** The legal actions in a table, with bars for what they are worth. */

import { NO_CARD, SUITS, suitOf } from "../../engine/cards.js";
import { cardName } from "../../game/deal/words.js";
import { percent } from "../../game/wording.js";
import { h } from "../dom.js";
import { isCard, shortName } from "../words.js";

/** @typedef {import("../../game/types.js").Option} Option */

/** @param {number} action @param {string} [name] a choice that is not a card @returns {HTMLElement} a card as text in the colour of its suit, spelt out for screen readers */
export function actionText(action, name = cardName(action)) {
  const suit = isCard(action) ? ` suit-${SUITS[suitOf(action)]}` : "";
  return h(
    "span",
    { class: `action${suit}` },
    h("span", { "aria-hidden": "true" }, shortName(action, name)),
    h("span", { class: "hidden" }, name),
  );
}

/** @param {number} share 0 to 1 @returns {HTMLElement} a cell of a table with a bar of that length */
export function barCell(share) {
  const bar = h("i");
  bar.style.width = `${100 * share}%`;
  return h("td", { class: "bar-cell" }, h("span", { class: "bar", "aria-hidden": "true" }, bar));
}

/** @param {{tricks: number, difference: number}} value @param {boolean} isBest @returns {string} `6.32` of the best action, `−0.15` of another one */
function valueText({ tricks, difference }, isBest) {
  if (isBest) return tricks.toFixed(2);
  const text = Math.abs(difference).toFixed(2);
  return Number(text) === 0 ? text : `${difference < 0 ? "−" : "+"}${text}`;
}

/** @param {Option["beside"]} value what an agent says of an action @returns {HTMLElement[]} what it is worth, and how often it is played */
function besideCells(value) {
  if (value === null) return [];
  const { isBest, chance } = value;
  return [
    h("td", { class: `beside first${isBest ? " top" : ""}` }, valueText(value, isBest)),
    h("td", { class: "beside" }, chance === null ? "–" : chance.toFixed(2)),
  ];
}

/**
 * Return a table of actions, best first.
 *
 * @param {Option[]} options
 * @param {{exact?: boolean, chosen?: number, trick?: boolean, beside?: string | null, extra?: ((option: Option) => HTMLElement | null) | null}} [look]
 *   `chosen`: the action that was played; `beside`: the agent whose values stand beside the coach’s, both with two decimals and as differences from the best, in place of the chance to win this trick; `trick`: with that chance, where known; `extra`: what stands at the end of a row
 * @returns {HTMLElement}
 */
export function optionBars(
  options,
  { exact = false, chosen = NO_CARD, trick = false, beside = null, extra = null } = {},
) {
  const widest = Math.max(...options.map((option) => option.tricksGivenAway), 0.25); // small differences look small
  const withTrick = trick && beside === null && options.some((option) => option.trick !== null);
  const rows = options.map((option) => {
    const share = 1 - option.tricksGivenAway / (widest * 1.08);
    return h(
      "tr",
      { class: `${option.label === "best" ? "best" : ""}${option.action === chosen ? " chosen" : ""}` },
      h("th", { scope: "row" }, actionText(option.action, option.name)),
      barCell(Math.max(share, 0.04)),
      h("td", {}, beside === null ? option.tricks.toFixed(exact ? 0 : 1) : valueText(option, option === options[0])),
      withTrick && h("td", {}, percent(option.trick)),
      h("td", {}, percent(option.win)),
      ...besideCells(option.beside),
      extra !== null && h("td", {}, extra(option)),
    );
  });
  return h(
    "table",
    { class: "bars" },
    h(
      "thead",
      {},
      beside !== null &&
        h(
          "tr",
          {},
          h("td", { colspan: 2 }),
          h("th", { scope: "colgroup", colspan: 2 }, "Coach"),
          h("th", { scope: "colgroup", colspan: 2, class: "beside first" }, beside),
          extra !== null && h("td", {}),
        ),
      h(
        "tr",
        {},
        h("th", { scope: "col" }, h("span", { class: "hidden" }, "Card")),
        h("td", {}),
        h("th", { scope: "col" }, "tricks"),
        withTrick && h("th", { scope: "col" }, "this trick"),
        h("th", { scope: "col" }, "win"),
        beside !== null && h("th", { scope: "col", class: "beside first" }, "tricks"),
        beside !== null && h("th", { scope: "col" }, "plays"),
        extra !== null && h("td", {}),
      ),
    ),
    h("tbody", {}, ...rows),
  );
}
