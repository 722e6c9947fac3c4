// @ts-check
/** The log: each event as a line, read out by screen readers as it is added. */

import { byId, fill, h } from "../dom.js";

new ResizeObserver(() => {
  const log = byId("log");
  log.scrollTop = log.scrollHeight;
}).observe(byId("log"));

const GROUPS = ["win", "take", "draw", "leave", "turn_up"];

/** @param {import("../types.js").GameEvent} event */
export function addToLog(event) {
  if (event.text === "") return;
  const log = byId("log");
  log.append(h("p", { class: GROUPS.includes(event.kind) ? "minor" : `event-${event.kind}` }, event.text));
  log.scrollTop = log.scrollHeight;
}

/** @param {import("../types.js").GameEvent[]} events */
export function showLog(events) {
  fill(byId("log"));
  events.forEach(addToLog);
}
