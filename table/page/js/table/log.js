// @ts-check
/** The log: each event as a line, read out by screen readers as it is added. */

import { openDialog } from "../dialogs/dialog.js";
import { byId, h } from "../dom.js";

const UNREAD = 500; // milliseconds after which screen readers have noticed what was added
const GROUPS = ["win", "take", "draw", "leave", "turn_up"];

/** @returns {Element} holds the lines; the log itself keeps its end in sight, without a script that would force a layout */
const list = () => /** @type {Element} */ (byId("log").firstElementChild);

/** @param {import("../../game/types.js").GameEvent} event @param {{events: import("../../game/types.js").GameEvent[]}} deal @returns {HTMLElement} its line; the first of a trick has its number */
export function line({ number, kind, trick, text }, { events }) {
  const isLead = kind === "play" && events[number - 1]?.trick !== trick;
  return h("p", { class: GROUPS.includes(kind) ? "minor" : `event-${kind}` }, isLead ? `${trick}. ${text}` : text);
}

/** @param {import("../../game/types.js").GameEvent} event @param {import("../../game/types.js").Session} session */
export function addToLog(event, session) {
  list().append(line(event, session));
}

/** Show the log in a window, scrolled to its end: small screens have no room for it at the table. */
export function openLog() {
  const copies = [...list().children].map((one) => /** @type {Element} */ (one.cloneNode(true)));
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
  const shown = list();
  const wanted = events.map((event) => line(event, session));
  const deal = `${session.id} ${session.deal.number}`;
  const isSame = log.dataset.deal === deal;
  log.dataset.deal = deal;
  const changed = wanted.findIndex((one, place) => one.textContent !== shown.children[place]?.textContent);
  const kept = !isSame ? 0 : changed < 0 ? wanted.length : changed;
  while (shown.children.length > kept) shown.lastElementChild?.remove();
  if (!isSame) {
    log.setAttribute("aria-live", "off");
    setTimeout(() => log.removeAttribute("aria-live"), UNREAD);
  }
  shown.append(...wanted.slice(kept));
}
