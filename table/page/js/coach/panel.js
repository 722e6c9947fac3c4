// @ts-check
/** The coach's panel: a hint, with what the opponent holds or may hold, or a step of the lesson. */

import { SUITS, suitOf } from "../../engine/cards.js";
import { SUIT_NAMES } from "../../game/deal/words.js";
import { percent } from "../../game/wording.js";
import { openDialog } from "../dialogs/dialog.js";
import { byId, fill, h, icon } from "../dom.js";
import { announce } from "../notices.js";
import { SUIT_SIGNS } from "../words.js";
import { actionText, barCell, optionBars } from "./bars.js";

/** @typedef {import("../../game/types.js").Session} Session */
/** @typedef {import("../../game/types.js").Hint} Hint */

const SPADES_FIRST = [3, 2, 1, 0];

/** @param {Hint | null} hint null for none */
export function showHint(hint) {
  const panel = byId("coach");
  if (hint === null) {
    if (panel.dataset.kind === "hint") panel.hidePopover();
    return;
  }
  panel.dataset.kind = "hint";
  fill(
    panel,
    h(
      "header",
      {},
      h("h2", {}, hint.title),
      h("button", { class: "close", "aria-label": "Close the hint", "data-command": "hideHint" }, icon("close")),
    ),
    h(
      "p",
      {},
      h("span", { class: "reason" }, hint.reason),
      h("button", { class: "more", onclick: () => openDialog(hint.title, details(hint)) }, "More"),
    ),
    h("div", { class: "hint-details" }, ...details(hint)),
  );
  panel.togglePopover(true);
}

/** @param {Hint} hint @returns {HTMLElement[]} its figures */
function details(hint) {
  return [
    h("p", {}, "Chance to win the deal: ", h("b", {}, percent(hint.win))),
    ...(hint.opponentHand === null ? [] : [openHand(hint.opponentHand)]),
    optionBars(hint.options, { exact: hint.exact, trick: true, beside: hint.beside }),
    ...(hint.opponent === null ? [] : [holdings(hint.opponent)]),
    h("p", { class: "judge" }, hint.byText),
  ];
}

/** @param {number[]} cards @returns {HTMLElement} the opponent's hand, one line a suit */
function openHand(cards) {
  const rows = SPADES_FIRST.map((suit) => cards.filter((card) => suitOf(card) === suit)).filter(
    (held) => held.length > 0,
  );
  return h(
    "section",
    { class: "open-suits" },
    h("h3", {}, "The opponent holds"),
    ...rows.map((held) => h("p", {}, ...held.flatMap((card) => [actionText(card), " "]))),
  );
}

/** @param {{expected: number, void: number}[]} opponent one entry a suit @returns {HTMLElement} */
function holdings(opponent) {
  const most = Math.max(...opponent.map((suit) => suit.expected), 1);
  const rows = SPADES_FIRST.filter((suit) => suit in opponent).map((suit) => {
    const { expected, void: none } = opponent[suit];
    return h(
      "tr",
      {},
      h(
        "th",
        { scope: "row", class: `suit-${SUITS[suit]}` },
        h("span", { "aria-hidden": "true" }, SUIT_SIGNS[suit]),
        h("span", { class: "hidden" }, SUIT_NAMES[suit]),
      ),
      barCell(expected / most),
      h("td", {}, expected.toFixed(1)),
      h("td", {}, percent(none)),
    );
  });
  return h(
    "table",
    { class: "bars holdings" },
    h("caption", {}, "What the opponent may hold"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, h("span", { class: "hidden" }, "Suit")),
        h("td", {}),
        h("th", { scope: "col" }, "cards"),
        h("th", { scope: "col" }, "void"),
      ),
    ),
    h("tbody", {}, ...rows),
  );
}

/** Show the step of a lesson: what the position is about, and which card it asks for. @param {Session} session */
export function showLesson(session) {
  const { lesson } = session;
  const panel = byId("coach");
  if (lesson === null) {
    if (panel.dataset.kind === "lesson") panel.hidePopover();
    return;
  }
  const step = `${session.id} ${lesson.step} ${lesson.done}`;
  if (panel.dataset.kind === "lesson" && panel.dataset.step === step && panel.matches(":popover-open")) return;
  Object.assign(panel.dataset, { kind: "lesson", step });
  announce(lesson.text);
  const progress = h("progress", { max: lesson.steps, value: lesson.step, "aria-label": "Lesson" });
  fill(
    panel,
    h(
      "header",
      {},
      h("h2", {}, `Lesson, step ${lesson.step} of ${lesson.steps}`),
      !lesson.done &&
        h("button", { class: "close", "aria-label": "End the lesson", "data-command": "leave" }, icon("close")),
    ),
    progress,
    h("p", {}, lesson.text),
  );
  panel.togglePopover(true);
}
