// @ts-check
/** The lesson: each step explains the position and asks for a card. */

import { byId, fill, h } from "../dom.js";

/**
 * @param {import("../types.js").Session} session
 * @param {() => void} leave called when the lesson is over or broken off
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
    h("header", {}, h("h2", {}, `Lesson, step ${Math.min(lesson.step, lesson.steps)} of ${lesson.steps}`)),
    progress,
    h("div", { class: "lesson-text", "aria-live": "polite" }, ...lesson.text.split("\n").map((line) => h("p", {}, line))),
    h("button", { type: "button", class: lesson.done ? "primary" : "quiet", onclick: leave }, lesson.done ? "Play a game" : "End the lesson"),
  );
}
