// @ts-check
/** The review of a deal: the curve, the biggest mistakes, every position with all hands open. */

import { fill, h } from "../dom.js";
import { capital, counted, signed } from "../words.js";
import { actionText, optionBars } from "../coach/bars.js";
import { openDialog } from "../dialogs/dialog.js";
import { board } from "./board.js";
import { WinCurve } from "./curve.js";
import { Steps } from "./steps.js";

/** @typedef {import("../types.js").Review} Review */
/** @typedef {import("../types.js").Move} Move */

/**
 * @typedef {object} ReviewActions
 * @property {((move: number, action: string) => void) | null} tryAction
 * @property {(() => void) | null} otherSide
 * @property {(() => void) | null} watch
 * @property {() => void} share
 * @property {() => void} [close]
 */

/**
 * @param {Review} review
 * @param {ReviewActions} actions
 * @param {{deals: number[], deal: number, choose: (deal: number) => void}} list the deals that can be looked at
 * @returns {HTMLDialogElement}
 */
export function openReview(review, actions, list) {
  const boardPlace = h("div", { class: "board-place" });
  const movePlace = h("div", { class: "move-place", "aria-live": "polite" });
  const curve = new WinCurve(review.win_curve, review.moves, review.mistakes, (place) => steps.go(place));
  let leaving = false;
  const leave = (/** @type {() => void} */ act) => () => {
    leaving = true;
    dialog.close();
    act();
  };
  const tryAction =
    actions.tryAction && ((/** @type {number} */ move, /** @type {string} */ action) => leave(() => actions.tryAction?.(move, action))());
  const moves = h("ol", { class: "moves" }, ...review.moves.map((move) => moveEntry(move, review, () => steps.go(move.number - 1))));
  const steps = new Steps(review.moves.length, (place) => {
    const move = review.moves[place] ?? null;
    curve.show(place);
    fill(boardPlace, board(review.positions[place], { names: review.names, trump: review.trump, move }));
    fill(movePlace, moveDetails(move, review, tryAction));
    [...moves.children].forEach((entry, number) => entry.classList.toggle("current", number === place));
    const current = moves.children[Math.min(place, moves.children.length - 1)];
    if (current instanceof HTMLElement) moves.scrollTop = current.offsetTop - moves.offsetTop - moves.clientHeight / 2;
  });
  const other = list.deals.length < 2 ? null : dealChoice(list, (deal) => leave(() => list.choose(deal))());
  const dialog = openDialog(
    "Review of the deal",
    [
      h("div", { class: "review-top" }, h("p", { class: "review-result" }, review.result.text), other, summary(review)),
      h(
        "div",
        { class: "review-grid" },
        h("div", { class: "review-main" }, curve.element, steps.element, boardPlace),
        h("div", { class: "review-side" }, movePlace, mistakes(review, (place) => steps.go(place)), h("details", {}, h("summary", {}, `All ${counted(review.moves.length, "move")}`), moves)),
      ),
      h(
        "div",
        { class: "buttons" },
        actions.otherSide && h("button", { type: "button", class: "quiet", onclick: leave(actions.otherSide) }, "Play the other side"),
        actions.watch && h("button", { type: "button", class: "quiet", onclick: leave(actions.watch) }, "Let the agent play my cards"),
        h("button", { type: "button", class: "quiet", onclick: leave(actions.share) }, "Share"),
      ),
    ],
    { kind: "full", onclose: () => !leaving && actions.close?.() },
  );
  dialog.addEventListener("keydown", (event) => steps.key(event));
  steps.go(review.mistakes.length > 0 ? review.mistakes[0] - 1 : 0);
  return dialog;
}

/** @param {{deals: number[], deal: number}} list @param {(deal: number) => void} choose @returns {HTMLElement} */
function dealChoice(list, choose) {
  const select = h("select", { "aria-label": "Deal" }, ...list.deals.map((deal) => h("option", { value: deal, selected: deal === list.deal }, `Deal ${deal}`)));
  select.addEventListener("change", () => choose(Number(select.value)));
  return select;
}

/** @param {Review} review @returns {HTMLElement} */
function summary(review) {
  const row = (/** @type {"you" | "opponent"} */ side) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, review.names[side]),
      h("td", {}, review.accuracy[side] === null ? "–" : `${Math.round(/** @type {number} */ (review.accuracy[side]))} %`),
      h("td", {}, review.cost[side].toFixed(1)),
    );
  const luck = `With these cards the agents make ${signed(review.luck, 0)} tricks for your side; you made ${signed(review.result.margin, 0)}.`;
  return h(
    "div",
    { class: "review-summary" },
    h(
      "table",
      { class: "plain" },
      h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "Accuracy"), h("th", { scope: "col" }, "Tricks given away"))),
      h("tbody", {}, row("you"), row("opponent")),
    ),
    h("p", { class: "note" }, luck),
  );
}

/** @param {Review} review @param {(place: number) => void} go @returns {HTMLElement} */
function mistakes(review, go) {
  const moves = review.mistakes.map((number) => review.moves[number - 1]);
  if (moves.length === 0) return h("p", { class: "note" }, "You gave nothing away in this deal.");
  return h(
    "section",
    { class: "mistakes" },
    h("h3", {}, `Your ${moves.length === 1 ? "biggest mistake" : `${moves.length} biggest mistakes`}`),
    h("ol", {}, ...moves.map((move) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "entry", onclick: () => go(move.number - 1) },
          h("strong", {}, `Trick ${move.trick}: `, actionText(move.action, move.name), " instead of ", actionText(move.best, move.best_name)),
          h("small", {}, costText(move)),
          h("small", {}, move.reason),
        ),
      ),
    )),
  );
}

/** What a move cost that is not as good as the best one. @param {Move} move @returns {string} */
function costText(move) {
  const tricks = move.exact ? counted(move.cost, "trick") : `${move.cost.toFixed(1)} tricks`;
  const win = `chance to win −${Math.round(100 * move.win_cost)} %`;
  if (move.cost < 0.05) return capital(win);
  return `Cost ${tricks}${move.win_cost < 0.005 ? "" : `, ${win}`}`;
}

/** @param {Move} move @param {Review} review @param {() => void} go @returns {HTMLElement} */
function moveEntry(move, review, go) {
  return h(
    "li",
    { class: move.by },
    h(
      "button",
      { type: "button", onclick: go },
      h("span", {}, review.names[move.by]),
      actionText(move.action, move.name),
      h("small", {}, move.cost < 0.05 ? "" : `−${move.cost.toFixed(1)}`),
    ),
  );
}

/**
 * @param {Move | null} move
 * @param {Review} review
 * @param {((move: number, action: string) => void) | null} tryAction
 * @returns {HTMLElement}
 */
function moveDetails(move, review, tryAction) {
  if (move === null) return h("section", {}, h("h3", {}, "The end"), h("p", {}, review.result.text));
  const mine = move.by === "you" && tryAction !== null;
  const good = move.best === move.action;
  const extra = (/** @type {import("../types.js").Option} */ option) =>
    option.action === move.action
      ? h("span", { class: "played" }, "played")
      : h("button", { type: "button", class: "quiet small", "aria-label": `Try the ${option.name}`, onclick: () => tryAction?.(move.number, option.action) }, "Try");
  return h(
    "section",
    { class: "move-details" },
    h("h3", {}, `Trick ${move.trick}, ${move.stage}`),
    h("p", {}, move.text),
    h("p", { class: good ? "good" : "cost" }, good ? (move.options.length < 2 ? "The only card" : "A best card") : `${costText(move)}. Better: ${move.best_name}.`),
    move.reason !== "" && h("p", { class: "reason" }, capital(move.reason)),
    move.options.length > 1 && optionBars(move.options, { exact: move.exact, chosen: move.action, extra: mine ? extra : null }),
    h("p", { class: "judge" }, move.exact ? "Exact: both hands were known." : `Judged by ${move.judge_title}, by what could be known.`),
  );
}
