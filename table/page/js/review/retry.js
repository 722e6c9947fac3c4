// @ts-check
/** A mistake to put right: the position as you saw it, and the cards that you could have played. */

import { withArticle } from "../../game/coach/judgement.js";
import { cardName, tricksText } from "../../game/deal/words.js";
import { capital, countText } from "../../game/wording.js";
import { h } from "../dom.js";
import { settings } from "../settings.js";
import { picture } from "../table/card.js";
import { isCard, sortCards, suitOrder } from "../words.js";

/** @typedef {import("../../game/types.js").Move} Move */
/** @typedef {import("../../game/types.js").Option} Option */

/** @param {number} action @param {string} name @returns {string} "the queen of hearts", "leave" */
export function called(action, name) {
  return isCard(action) ? `the ${name}` : name;
}

/** What a choice gave away. @param {number} tricks @param {number} win @param {boolean} exact @returns {string} "0.4 tricks and 6 points of the chance to win" */
export function lossText(tricks, win, exact) {
  const parts = [];
  if (tricks >= 0.05) parts.push(tricksText(tricks, exact));
  if (win >= 0.005) parts.push(`${countText(Math.round(100 * win), "point")} of the chance to win`);
  return parts.join(" and ") || "next to nothing";
}

/**
 * @param {Move} move the mistake
 * @param {number} trump
 * @param {{show: () => void, next: (() => void) | null}} actions `show`: the answer; `next`: the next mistake
 * @returns {HTMLElement}
 */
export function retryPanel(move, trump, { show, next }) {
  const verdict = h("p", { class: "verdict", "aria-live": "polite" });
  const row = h("div", { class: "buttons" }, h("button", { class: "quiet", onclick: show }, "Show me"));
  /** @param {Option} option @param {HTMLButtonElement} button */
  const choose = (option, button) => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true"); // unlike `disabled`, this leaves the focus on the button
    if (option.label === "best" || option.label === "good") {
      button.classList.add("right");
      verdict.textContent = `Right: ${called(option.action, option.name)}${option.label === "best" ? "" : `, though ${called(move.best, move.bestName)} is a little better`}.${option.action === move.best ? ` ${capital(move.reason)}` : ""}`;
      if (next === null) return;
      const following = h("button", { class: "primary", onclick: next }, "Next mistake");
      row.prepend(following);
      following.focus({ preventScroll: true });
      return;
    }
    const loss = lossText(option.tricksGivenAway, Math.max(move.options[0].win - option.win, 0), move.exact);
    verdict.textContent = `${capital(called(option.action, option.name))} gives away ${loss}: ${withArticle(option.label)}, too. Look again.`;
  };
  const buttons = inHandOrder(move.options, trump).map((option) => {
    const played = option.action === move.action && "true";
    const face = isCard(option.action) ? picture(option.action, cardName(option.action)) : capital(option.name);
    const button = h("button", { class: `try${isCard(option.action) ? "" : " quiet"}`, "aria-disabled": played }, face);
    button.addEventListener("click", () => choose(option, button));
    return button;
  });
  return h(
    "section",
    { class: "retry" },
    h("h3", {}, `Trick ${move.trick}: find the better card`),
    h("p", {}, `${move.text} That was ${withArticle(move.label)}. What was better, by what you knew then?`),
    h("div", { class: "tries" }, ...buttons),
    verdict,
    row,
  );
}

/** @param {Option[]} options @param {number} trump @returns {Option[]} in the order of a hand, because the order of the options gives the answer away */
function inHandOrder(options, trump) {
  const cards = sortCards(options.map((option) => option.action).filter(isCard), suitOrder(settings.suits, trump));
  const place = (/** @type {Option} */ { action }) => (isCard(action) ? cards.indexOf(action) : action);
  return [...options].sort((one, other) => place(one) - place(other));
}
