// @ts-check
/** A mistake to put right: the cards that you could have played. */

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
 * @param {Pick<Move, "options" | "best" | "bestName" | "reason" | "exact">} decision
 * @param {number} trump
 * @param {object} about
 * @param {string} about.title
 * @param {string} about.question
 * @param {number} [about.played] the mistake, which is not offered
 * @param {(right: boolean) => void} about.answered called with each answer
 * @param {(HTMLElement | false)[]} about.buttons
 * @returns {HTMLElement}
 */
export function retryPanel(decision, trump, { title, question, played, answered, buttons }) {
  const verdict = h("p", { class: "verdict", "aria-live": "polite" });
  /** @param {Option} option @param {HTMLButtonElement} button */
  const choose = (option, button) => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true"); // unlike `disabled`, this leaves the focus on the button
    const right = option.label === "best" || option.label === "good";
    if (right) {
      button.classList.add("right");
      verdict.textContent = `Right: ${called(option.action, option.name)}${option.label === "best" ? "" : `, though ${called(decision.best, decision.bestName)} is a little better`}.${option.action === decision.best ? ` ${capital(decision.reason)}` : ""}`;
    } else {
      const loss = lossText(option.tricksGivenAway, Math.max(decision.options[0].win - option.win, 0), decision.exact);
      verdict.textContent = `${capital(called(option.action, option.name))} gives away ${loss}: ${withArticle(option.label)}. Look again.`;
    }
    answered(right);
  };
  const tries = inHandOrder(decision.options, trump).map((option) => {
    const face = isCard(option.action) ? picture(option.action, cardName(option.action)) : capital(option.name);
    const button = h(
      "button",
      { class: `try${isCard(option.action) ? "" : " quiet"}`, "aria-disabled": option.action === played && "true" },
      face,
    );
    button.addEventListener("click", () => choose(option, button));
    return button;
  });
  return h(
    "section",
    { class: "retry" },
    h("h3", {}, title),
    h("p", {}, question),
    h("div", { class: "tries" }, ...tries),
    verdict,
    h("div", { class: "buttons" }, ...buttons),
  );
}

/** @param {Option[]} options @param {number} trump @returns {Option[]} options in the order of a hand, because the order of the options gives the answer away */
function inHandOrder(options, trump) {
  const cards = sortCards(options.map((option) => option.action).filter(isCard), suitOrder(settings.suits, trump));
  const place = (/** @type {Option} */ { action }) => (isCard(action) ? cards.indexOf(action) : action);
  return [...options].sort((one, other) => place(one) - place(other));
}
