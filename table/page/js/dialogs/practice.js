// @ts-check
/** Practice with your mistakes, one position after the other. */

import { later } from "../../game/practice.js";
import * as sessions from "../../game/sessions.js";
import { today } from "../../game/setup.js";
import { capital, dateText } from "../../game/wording.js";
import { attempt } from "../attempt.js";
import { optionBars } from "../coach/bars.js";
import { fill, h } from "../dom.js";
import { board } from "../review/board.js";
import { called, retryPanel } from "../review/retry.js";
import { line } from "../table/log.js";
import { openDialog } from "./dialog.js";

/** @typedef {import("../../game/types.js").Exercise} Exercise */

/** @param {import("../../game/types.js").PracticeQueue} queue none of which is due @returns {string} when the next position is */
export function nextText({ next }) {
  if (next === null) return "Nothing is due.";
  return `Nothing is due. The next position comes back ${next === later(today(), 1) ? "tomorrow" : `on ${dateText(next)}`}.`;
}

/** @param {Exercise} first @param {() => void} onclose */
export function openPractice(first, onclose) {
  const content = h("div", { class: "practice" });
  const dialog = openDialog("Practise your mistakes", [content], { kind: "full", onclose });
  show(first);

  async function goOn() {
    const [exercise, queue] = await Promise.all([sessions.nextExercise(), sessions.practiceQueue()]);
    if (exercise !== null) return show(exercise);
    const close = h("button", { class: "primary", onclick: () => dialog.close() }, "Close");
    fill(content, h("p", {}, nextText(queue)), h("div", { class: "buttons" }, close));
    dialog.classList.remove("full");
    return close.focus();
  }

  /** @param {Exercise} exercise */
  function show(exercise) {
    const { position, names, trump, exact, events, due } = exercise;
    const title = `Trick ${exercise.trick}, ${exercise.stage}`;
    /** @type {Promise<void> | null} of the first answer, which counts */
    let answer = null;
    const next = h("button", { class: "primary", hidden: true }, "Next");
    next.addEventListener("click", () => void attempt(() => Promise.resolve(answer).then(goOn)));
    const answered = (/** @type {boolean} */ right) => {
      answer ??= sessions.answerExercise(exercise.exercise, right);
      next.hidden = false;
      if (right) next.focus();
      next.scrollIntoView({ block: "nearest" }); // the verdict above it shows, too
    };
    const showAnswer = () => {
      answered(false);
      fill(panel, answerOf(exercise, title, next));
      next.focus({ preventScroll: true });
      panel.querySelector("h3")?.scrollIntoView({ block: "nearest" });
    };
    const panel = h(
      "div",
      { class: "move-box" },
      retryPanel(exercise, trump, {
        title,
        question: `What is best? ${due === 1 ? "This is the last position that is due." : `${due} positions are due.`}`,
        answered,
        buttons: [next, h("button", { class: "quiet", onclick: showAnswer }, "Show me")],
      }),
    );
    fill(
      content,
      h(
        "div",
        { class: "review-grid" },
        h(
          "div",
          { class: "review-main" },
          h("div", { class: "board-box" }, board(position, { names, trump, move: null, covered: !exact })),
          h("details", {}, h("summary", {}, "What happened before"), ...events.map((event) => line(event, exercise))),
        ),
        h("div", { class: "review-side" }, panel),
      ),
    );
    panel.querySelector("button")?.focus({ preventScroll: true });
  }
}

/** @param {Exercise} exercise @param {string} title @param {HTMLElement} next @returns {HTMLElement} what each action is worth, and why the best one is the best */
function answerOf({ action, best, bestName, reason, options, exact, judgeTitle }, title, next) {
  const played = (/** @type {{action: number}} */ option) =>
    option.action === action ? h("span", { class: "played" }, "played") : null;
  return h(
    "section",
    { class: "move-details" },
    h("h3", {}, title),
    h("p", { class: "good" }, `Best: ${called(best, bestName)}`),
    h("p", { class: "reason" }, capital(reason)),
    h("div", { class: "buttons" }, next),
    optionBars(options, { exact, chosen: action, extra: played }),
    h(
      "p",
      { class: "judge" },
      exact ? "Exact: both hands are known." : `Judged by ${judgeTitle}, from what you knew then.`,
    ),
  );
}
