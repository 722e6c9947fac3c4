// @ts-check
/** The log: each event as a line, read out by screen readers as it is added. */

import { announcedHash, shortHash } from "../commitments.js";
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

/** @param {import("../../game/types.js").GameEvent} event @param {import("../../game/types.js").Session} session @returns {HTMLElement[]} its lines */
function lines(event, session) {
  if (event.text === "") return [];
  const line = h("p", { class: GROUPS.includes(event.kind) ? "minor" : `event-${event.kind}` }, event.text);
  if (event.kind !== "deal") return [line];
  return [line, h("p", { class: "minor" }, "Hash of the cards: ", h("code", {}, shortHash(announcedHash(session))))];
}

/** @param {import("../../game/types.js").GameEvent} event @param {import("../../game/types.js").Session} session */
export function addToLog(event, session) {
  const log = byId("log");
  log.append(...lines(event, session));
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
  const wanted = events.flatMap((event) => lines(event, session));
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
