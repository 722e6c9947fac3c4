// @ts-check
/** The lesson: each step explains the position and asks for a card. */

import { byId, fill, h, icon } from "../dom.js";

/**
 * @param {import("../types.js").Session} session
 * @param {() => void} leave called when the lesson is broken off
 */
export function showLesson(session, leave) {
  const { lesson } = session;
  const panel = byId("coach");
  if (lesson === null) {
    if (panel.dataset.kind === "lesson") panel.hidden = true;
    return;
  }
  panel.dataset.kind = "lesson";
  panel.hidden = false;
  const progress = h("progress", { max: lesson.steps, value: lesson.step, "aria-label": "Lesson" });
  fill(
    panel,
    h(
      "header",
      {},
      h("h2", {}, `Lesson, step ${Math.min(lesson.step, lesson.steps)} of ${lesson.steps}`),
      !lesson.done && h("button", { type: "button", class: "close", "aria-label": "End the lesson", onclick: leave }, icon("close")),
    ),
    progress,
    h("div", { class: "lesson-text", "aria-live": "polite" }, ...lesson.text.split("\n").map((line) => h("p", {}, line))),
  );
}
