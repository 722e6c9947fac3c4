// @ts-check
/** The legal actions in a table, with bars for what they are worth. */

import { NO_CARD, SUITS, suitOf } from "../../engine/cards.js";
import { cardName } from "../../game/deal/words.js";
import { percent } from "../../game/wording.js";
import { h } from "../dom.js";
import { isCard, shortName } from "../words.js";

/** @typedef {import("../../game/types.js").Option} Option */

/** @param {number} action @param {string} [name] of a choice that is not a card @returns {HTMLElement} a card as text in the colour of its suit, spelt out for screen readers */
export function actionText(action, name = cardName(action)) {
  const suit = isCard(action) ? ` suit-${SUITS[suitOf(action)]}` : "";
  return h(
    "span",
    { class: `action${suit}` },
    h("span", { "aria-hidden": "true" }, shortName(action, name)),
    h("span", { class: "hidden" }, name),
  );
}

/** @param {number} share from 0 to 1 @returns {HTMLElement} a cell of a table with a bar of that length */
export function barCell(share) {
  const bar = h("i");
  bar.style.width = `${100 * share}%`;
  return h("td", { class: "bar-cell" }, h("span", { class: "bar", "aria-hidden": "true" }, bar));
}

/**
 * Return a table of actions, best first.
 *
 * @param {Option[]} options
 * @param {{exact?: boolean, chosen?: number, trick?: boolean, beside?: import("../../game/types.js").Hint["beside"], extra?: ((option: Option) => HTMLElement | null) | null}} [look]
 *   `chosen`: the action that was played; `beside`: what another judge says; `trick`: with the chance to win this trick, where known; `extra`: what stands at the end of a row
 * @returns {HTMLElement}
 */
export function optionBars(
  options,
  { exact = false, chosen = NO_CARD, trick = false, beside = null, extra = null } = {},
) {
  const widest = Math.max(...options.map((option) => option.tricksGivenAway), 0.25); // small differences look small
  const withTrick = trick && options.some((option) => option.trick !== null);
  const rows = options.map((option) => {
    const share = 1 - option.tricksGivenAway / (widest * 1.08);
    return h(
      "tr",
      { class: `${option.label === "best" ? "best" : ""}${option.action === chosen ? " chosen" : ""}` },
      h("th", { scope: "row" }, actionText(option.action, option.name)),
      barCell(Math.max(share, 0.04)),
      h("td", {}, option.tricks.toFixed(exact ? 0 : 1)),
      withTrick && h("td", {}, percent(option.trick)),
      h("td", {}, percent(option.win)),
      beside !== null && h("td", {}, beside.tricks[option.action].toFixed(1)),
      extra !== null && h("td", {}, extra(option)),
    );
  });
  return h(
    "table",
    { class: "bars" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, h("span", { class: "hidden" }, "Card")),
        h("td", {}),
        h("th", { scope: "col" }, "tricks"),
        withTrick && h("th", { scope: "col" }, "this trick"),
        h("th", { scope: "col" }, "win"),
        beside !== null && h("th", { scope: "col" }, `tricks by ${beside.title}`),
        extra !== null && h("td", {}),
      ),
    ),
    h("tbody", {}, ...rows),
  );
}
