// @ts-check
/** The log: each event as a line, read out by screen readers as it is added. */

import { announcedHash, shortHash } from "../commitments.js";
import { openDialog } from "../dialogs/dialog.js";
import { byId, fill, h } from "../dom.js";

if (typeof ResizeObserver !== "undefined") {
  new ResizeObserver(() => {
    const log = byId("log");
    log.scrollTop = log.scrollHeight;
  }).observe(byId("log"));
}

const GROUPS = ["win", "take", "draw", "leave", "turn_up"];

/** @param {import("../../game/types.js").GameEvent} event @param {import("../../game/types.js").Session} session */
export function addToLog(event, session) {
  if (event.text === "") return;
  const log = byId("log");
  log.append(h("p", { class: GROUPS.includes(event.kind) ? "minor" : `event-${event.kind}` }, event.text));
  if (event.kind === "deal") log.append(h("p", { class: "minor" }, "Hash of the cards: ", h("code", {}, shortHash(announcedHash(session)))));
  log.scrollTop = log.scrollHeight;
}

/** Show the log in a window, at its end: on small screens it cannot be seen at the table. */
export function openLog() {
  const lines = [...byId("log").children].map((line) => /** @type {Element} */ (line.cloneNode(true)));
  openDialog("What happened", lines);
  lines.at(-1)?.scrollIntoView();
}

/** @param {import("../../game/types.js").GameEvent[]} events @param {import("../../game/types.js").Session} session */
export function showLog(events, session) {
  fill(byId("log"));
  for (const event of events) addToLog(event, session);
}
