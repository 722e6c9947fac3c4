// @ts-check
/** The log: each event as a line, read out by screen readers as it is added. */

import { openDialog } from "../dialogs/dialog.js";
import { byId, h } from "../dom.js";

// Keeps the end of the log in sight when its height changes.
if (typeof ResizeObserver !== "undefined") {
  new ResizeObserver(() => {
    const log = byId("log");
    log.scrollTop = log.scrollHeight;
  }).observe(byId("log"));
}

const UNREAD = 500; // milliseconds after which screen readers have noticed what was added
const GROUPS = ["win", "take", "draw", "leave", "turn_up"];

/** @param {import("../../game/types.js").GameEvent} event @returns {HTMLElement[]} its line */
function lines({ kind, text }) {
  return text === "" ? [] : [h("p", { class: GROUPS.includes(kind) ? "minor" : `event-${kind}` }, text)];
}

/** @param {import("../../game/types.js").GameEvent} event */
export function addToLog(event) {
  const log = byId("log");
  log.append(...lines(event));
  log.scrollTop = log.scrollHeight;
}

/** Show the log in a window, scrolled to its end: small screens have no room for it at the table. */
export function openLog() {
  const copies = [...byId("log").children].map((line) => /** @type {Element} */ (line.cloneNode(true)));
  openDialog("What happened", copies);
  copies.at(-1)?.scrollIntoView();
}

/**
 * Show what has happened in a deal. Lines that are there already stay, because screen readers read what is added. The
 * lines of another deal are not news, so they are not read.
 *
 * @param {import("../../game/types.js").GameEvent[]} events
 * @param {import("../../game/types.js").Session} session
 */
export function showLog(events, session) {
  const log = byId("log");
  const wanted = events.flatMap(lines);
  const deal = `${session.id} ${session.deal.number}`;
  const isSame = log.dataset.deal === deal;
  log.dataset.deal = deal;
  const changed = wanted.findIndex((line, place) => line.textContent !== log.children[place]?.textContent);
  const kept = !isSame ? 0 : changed < 0 ? wanted.length : changed;
  while (log.children.length > kept) log.lastElementChild?.remove();
  if (!isSame) {
    log.setAttribute("aria-live", "off");
    setTimeout(() => log.removeAttribute("aria-live"), UNREAD);
  }
  log.append(...wanted.slice(kept));
  log.scrollTop = log.scrollHeight;
}
