// @ts-check
/** The lesson: each step explains the position and asks for a card. */

import { byId, fill, h, icon } from "../dom.js";
import { announce } from "../notices.js";

/**
 * @param {import("../../game/types.js").Session} session
 * @param {() => void} leave called when the person ends the lesson early
 */
export function showLesson(session, leave) {
  const { lesson } = session;
  const panel = byId("coach");
  if (lesson === null) {
    if (panel.dataset.kind === "lesson") panel.hidden = true;
    return;
  }
  const step = `${session.id} ${lesson.step} ${lesson.done}`;
  if (panel.dataset.kind === "lesson" && panel.dataset.step === step && !panel.hidden) return;
  Object.assign(panel.dataset, { kind: "lesson", step });
  panel.hidden = false;
  announce(lesson.text);
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
    h("div", { class: "lesson-text", }, ...lesson.text.split("\n").map((line) => h("p", {}, line))),
  );
}
