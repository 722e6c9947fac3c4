// @ts-check
/** The memory quiz: which cards does the opponent hold when the stock is gone? After the deal: how you could know. */

import { suitOf } from "../../engine/cards.js";
import { rulesNamed } from "../../engine/rules.js";
import { countText } from "../../game/wording.js";
import { openDialog } from "../dialogs/dialog.js";
import { h } from "../dom.js";
import { settings } from "../settings.js";
import { suitOrder } from "../words.js";
import { actionText } from "./bars.js";

/** @typedef {import("../../game/types.js").Session} Session */

/**
 * Ask which cards the opponent holds.
 *
 * @param {Session} session
 * @param {(cards: number[]) => void} answer
 * @param {() => void} onclose
 */
export function openQuiz(session, answer, onclose) {
  const { hand, opponent, trump, led } = session.position;
  const own = new Set(hand.map(({ card }) => card));
  if (led !== null) own.add(led.card);
  const wanted = opponent.cards;
  /** @type {Set<number>} */
  const named = new Set();
  const count = h("p", { "aria-live": "polite" });
  const done = h(
    "button",
    {
      class: "primary",
      onclick: () => {
        dialog.close();
        answer([...named]);
      },
    },
    "That’s my answer",
  );
  const show = () => {
    count.textContent = `${named.size} of ${countText(wanted, "card")} named`;
    done.disabled = named.size !== wanted;
  };
  const { cards } = rulesNamed(session.rules);
  const suits = suitOrder(settings.suits, trump)
    .map((suit) => cards.filter((card) => suitOf(card) === suit).reverse())
    .filter((held) => held.length > 0);
  const rows = suits.map((held) =>
    h(
      "div",
      { class: "quiz-suit" },
      ...held
        .filter((card) => !own.has(card))
        .map((card) => {
          const button = h("button", { class: "quiet", "aria-pressed": "false" }, actionText(card));
          button.addEventListener("click", () => {
            if (!named.delete(card) && named.size < wanted) named.add(card);
            button.setAttribute("aria-pressed", String(named.has(card)));
            show();
          });
          return button;
        }),
    ),
  );
  const dialog = openDialog(
    "Memory: which cards does your opponent hold?",
    [
      h(
        "p",
        {},
        "The stock is gone. Every card that has not been played and is not in your hand is in your opponent’s.",
      ),
      h("div", { class: "quiz" }, ...rows),
      count,
      h("div", { class: "buttons" }, done, h("button", { class: "quiet", onclick: () => dialog.close() }, "Not now")),
      h(
        "p",
        { class: "note" },
        "You are told at once how many are right, and after the deal which ones. You can turn the quiz off in Settings.",
      ),
    ],
    { onclose },
  );
  show();
}

/** @param {import("../../game/types.js").Recall} recall @returns {string} */
export function recallText(recall) {
  return `Memory: ${recall.right} of ${countText(recall.held, "card")} right`;
}

/** Show which cards were right, and how each could be known. @param {Session} session */
export function openRecall({ recall }) {
  if (recall === null) return;
  const cards = recall.cards ?? [];
  const part = (/** @type {string} */ title, /** @type {typeof cards} */ some) =>
    some.length > 0 &&
    h(
      "section",
      {},
      h("h3", {}, title),
      h(
        "dl",
        { class: "recalled" },
        ...some.map((card) => h("div", {}, h("dt", {}, actionText(card.card)), h("dd", {}, card.reason))),
      ),
    );
  openDialog(recallText(recall), [
    part(
      "Missed",
      cards.filter((card) => card.held && !card.recalled),
    ),
    part(
      "Wrong",
      cards.filter((card) => !card.held),
    ),
    part(
      "Right",
      cards.filter((card) => card.held && card.recalled),
    ),
  ]);
}
