// @ts-check
/** The review of a deal: the curve, the biggest mistakes, every position with all hands open. */

import { isCriticised, withArticle } from "../../game/coach/judgement.js";
import { capital, countText, percent } from "../../game/wording.js";
import { actionText, optionBars } from "../coach/bars.js";
import { openDialog } from "../dialogs/dialog.js";
import { fill, h } from "../dom.js";
import { shortName } from "../words.js";
import { board } from "./board.js";
import { WinCurve } from "./curve.js";
import { called, lossText, retryPanel } from "./retry.js";
import { Steps } from "./steps.js";

/** @typedef {import("../../game/types.js").Review} Review */
/** @typedef {import("../../game/types.js").Move} Move */

/**
 * @typedef {object} ReviewActions
 * @property {((move: number, action: number) => void) | null} tryAction
 * @property {((move: number) => void) | null} line  shows perfect play from a decision on
 * @property {(() => void) | null} otherSide
 * @property {(() => void) | null} watch
 * @property {((move: number) => void) | null} share
 * @property {() => void} [close]
 */

/**
 * @param {Review} review
 * @param {ReviewActions} actions
 * @param {{deals: number, deal: number, move: number | null, choose: (deal: number) => void}} list
 *   how many deals can be looked at, which one it is, and the move to begin with
 */
export function openReview(review, actions, list) {
  const boardBox = h("div", { class: "board-box" });
  const moveBox = h("div", { class: "move-box" });
  const said = h("p", { class: "hidden", role: "status" });
  const curve = new WinCurve(review, (place) => show(place));
  let leaving = false;
  const leave = (/** @type {() => void} */ act) => () => {
    leaving = true;
    dialog.close();
    act();
  };
  const { tryAction, line, share } = actions;
  const ways = {
    tryAction:
      tryAction &&
      ((/** @type {number} */ move, /** @type {number} */ action) => leave(() => tryAction(move, action))()),
    line: line && ((/** @type {number} */ move) => leave(() => line(move))()),
    retry: (/** @type {number} */ move) => retry(move),
  };
  const moves = h(
    "ol",
    { class: "moves" },
    ...review.moves.map((move) => moveEntry(move, review, () => show(move.number - 1))),
  );
  const steps = new Steps(review.moves.length, (place) => {
    const move = review.moves[place] ?? null;
    side.classList.remove("retrying");
    curve.show(place);
    fill(boardBox, board(review.positions[place], { names: review.names, trump: review.trump, move }));
    fill(moveBox, moveDetails(move, review, ways));
    said.textContent = move === null ? review.result.text : `Trick ${move.trick}. ${move.text} ${verdict(move)}`;
    [...moves.children].forEach((entry, number) => entry.classList.toggle("current", number === place));
    const current = moves.children[Math.min(place, moves.children.length - 1)];
    if (current instanceof HTMLElement) moves.scrollTop = current.offsetTop - moves.offsetTop - moves.clientHeight / 2;
  });
  const side = h(
    "div",
    { class: "review-side" },
    moveBox,
    mistakes(review, (place) => show(place), ways.retry),
    h("details", {}, h("summary", {}, `All ${countText(review.moves.length, "move")}`), moves),
    labels(),
  );

  const position = h("div", { class: "position" }, steps.element, boardBox);

  /** Show a position, and scroll to it: the button may be far from the board. @param {number} place */
  function show(place) {
    steps.go(place);
    position.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} number the mistake to put right */
  function retry(number) {
    const move = review.moves[number - 1];
    steps.go(number - 1);
    side.classList.add("retrying");
    said.textContent = ""; // screen readers must not hear the answer
    const following = review.mistakes[review.mistakes.indexOf(number) + 1];
    fill(
      boardBox,
      board(review.positions[number - 1], {
        names: review.names,
        trump: review.trump,
        move: null,
        covered: !move.exact,
      }),
    );
    const next = h("button", { class: "primary", hidden: true, onclick: () => retry(following) }, "Next mistake");
    const show = () => {
      steps.go(number - 1);
      steps.slider.focus();
    };
    fill(
      moveBox,
      retryPanel(move, review.trump, {
        title: `Trick ${move.trick}: find the better card`,
        question: `${move.text} That was ${withArticle(move.label)}. What was better, by what you knew then?`,
        played: move.action,
        answered: (right) => {
          next.hidden = !right || following === undefined;
          next.focus({ preventScroll: true });
        },
        buttons: [next, h("button", { class: "quiet", onclick: show }, "Show me")],
      }),
    );
    moveBox.scrollIntoView({ block: "nearest" });
    moveBox.querySelector("button")?.focus({ preventScroll: true });
  }

  const other = list.deals < 2 ? null : dealChoice(list, (deal) => leave(() => list.choose(deal))());
  const dialog = openDialog(
    "Review of the deal",
    [
      h(
        "div",
        { class: "review-grid" },
        h(
          "div",
          { class: "review-top" },
          h("p", { class: "review-result" }, [review.result.text, review.result.claim].filter(Boolean).join(". ")),
          other,
          summary(review),
        ),
        h("div", { class: "review-main" }, curve.element, position, curve.swings),
        side,
        said,
      ),
      h(
        "div",
        { class: "buttons" },
        actions.otherSide && h("button", { class: "quiet", onclick: leave(actions.otherSide) }, "Play the other side"),
        actions.watch && h("button", { class: "quiet", onclick: leave(actions.watch) }, "Watch the computer"),
        share && h("button", { class: "quiet", onclick: () => leave(() => share(steps.place + 1))() }, "Share"),
      ),
    ],
    { kind: "full", onclose: () => !leaving && actions.close?.() },
  );
  dialog.addEventListener("keydown", (event) => steps.key(event));
  steps.go((list.move ?? review.mistakes[0] ?? 1) - 1);
}

/** @param {{deals: number, deal: number}} list @param {(deal: number) => void} choose @returns {HTMLElement} */
function dealChoice(list, choose) {
  const select = h("select", { "aria-label": "Deal" });
  for (let deal = 1; deal <= list.deals; deal += 1)
    select.append(h("option", { value: deal, selected: deal === list.deal }, `Deal ${deal}`));
  select.addEventListener("change", () => choose(Number(select.value)));
  return select;
}

/** @param {Review} review @returns {HTMLElement} */
function summary(review) {
  const row = (/** @type {"you" | "opponent"} */ side) => {
    const accuracy = review.accuracy[side];
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, review.names[side]),
      h("td", {}, accuracy === null ? "–" : percent(accuracy / 100)),
      h("td", {}, review.tricksGivenAway[side].toFixed(1)),
    );
  };
  const head = (/** @type {string} */ words) => h("th", { scope: "col" }, words);
  return h(
    "div",
    { class: "review-summary scroller" },
    h(
      "table",
      { class: "plain" },
      h("thead", {}, h("tr", {}, h("td", {}), head("Accuracy"), head("Tricks given away"))),
      h("tbody", {}, row("you"), row("opponent")),
    ),
  );
}

/** @param {Review} review @param {(place: number) => void} go @param {(move: number) => void} retry @returns {HTMLElement} */
function mistakes(review, go, retry) {
  const moves = review.mistakes.map((number) => review.moves[number - 1]);
  if (moves.length === 0) return h("p", { class: "note" }, "You made no clear mistake in this deal.");
  return h(
    "section",
    { class: "mistakes" },
    h("h3", {}, `Your ${moves.length === 1 ? "biggest mistake" : `${moves.length} biggest mistakes`}`),
    h("button", { class: "quiet", onclick: () => retry(moves[0].number) }, "Find the better card yourself"),
    h(
      "ol",
      {},
      ...moves.map((move) =>
        h(
          "li",
          {},
          h(
            "button",
            { class: `entry ${move.label}`, onclick: () => go(move.number - 1) },
            h(
              "strong",
              {},
              `Trick ${move.trick}: `,
              actionText(move.action, move.name),
              " instead of ",
              actionText(move.best, move.bestName),
            ),
            h("small", {}, labelText(move)),
          ),
        ),
      ),
    ),
  );
}

/** @returns {HTMLElement} what the labels mean */
function labels() {
  const meanings = [
    ["Best", "the coach’s choice, or as good"],
    ["Good", "gives away little, or too little to be sure"],
    ["Inaccuracy", "gives away at least 0.3 tricks or 2 points"],
    ["Mistake", "at least 0.75 tricks or 6 points"],
    ["Blunder", "at least 1.5 tricks or 15 points"],
  ];
  return h(
    "details",
    { class: "labels" },
    h("summary", {}, "What the words mean"),
    h("dl", {}, ...meanings.map(([word, meaning]) => h("div", {}, h("dt", {}, word), h("dd", {}, meaning)))),
    h(
      "p",
      { class: "note" },
      "A point is a percentage point of the chance to win the deal. A card is called an inaccuracy or worse only if the difference exceeds two standard errors.",
    ),
  );
}

/** @param {Move} move @returns {string} "Mistake: gives away 0.4 tricks and 8 points of the chance to win" */
function labelText(move) {
  return `${capital(move.label)}: gives away ${lossText(move.tricksGivenAway, move.winGivenAway, move.exact)}`;
}

/** @param {Move} move @returns {string} what the coach says of it */
function verdict(move) {
  if (isCriticised(move)) return `${labelText(move)}. Better: ${move.bestName}.`;
  return move.options.length < 2 ? "The only card" : capital(move.label);
}

/** @param {Move} move @param {Review} review @param {() => void} go @returns {HTMLElement} */
function moveEntry(move, review, go) {
  return h(
    "li",
    { class: move.by },
    h(
      "button",
      { onclick: go },
      h("span", {}, review.names[move.by]),
      actionText(move.action, move.name),
      h("small", {}, isCriticised(move) ? move.label : ""),
    ),
  );
}

/**
 * @param {Move | null} move
 * @param {Review} review
 * @param {{tryAction: ((move: number, action: number) => void) | null, line: ((move: number) => void) | null, retry: (move: number) => void}} ways
 * @returns {HTMLElement}
 */
function moveDetails(move, review, { tryAction, line, retry }) {
  if (move === null) return h("section", {}, h("h3", {}, "The end"), h("p", {}, review.result.text));
  const mine = move.by === "you" && tryAction !== null;
  const bad = isCriticised(move);
  const extra = (/** @type {import("../../game/types.js").Option} */ option) =>
    option.action === move.action
      ? h("span", { class: "played" }, "played")
      : h(
          "button",
          {
            class: "quiet small",
            "aria-label": `Try ${called(option.action, option.name)}`,
            onclick: () => tryAction?.(move.number, option.action),
          },
          "Try",
        );
  return h(
    "section",
    { class: "move-details" },
    h("h3", {}, `Trick ${move.trick}, ${move.stage}`),
    h("p", {}, move.text),
    h("p", { class: bad ? "cost" : "good" }, verdict(move)),
    move.reason !== "" && h("p", { class: "reason" }, capital(move.reason)),
    bad &&
      move.by === "you" &&
      h("button", { class: "quiet", onclick: () => retry(move.number) }, "Hide this and find the better card"),
    move.line.length > 0 &&
      h(
        "p",
        { class: "line" },
        "Best line: ",
        h("span", { "aria-hidden": "true" }, move.line.map((card) => shortName(card)).join(" ")),
        line !== null && h("button", { class: "quiet", onclick: () => line(move.number) }, "Play it through"),
      ),
    move.options.length > 1 &&
      optionBars(move.options, {
        exact: move.exact,
        chosen: move.action,
        beside: move.beside,
        extra: mine ? extra : null,
      }),
    h(
      "p",
      { class: "judge" },
      move.exact ? "Exact: both hands were known." : `Judged by ${move.judgeTitle}, from what could be known then.`,
    ),
  );
}
