// @ts-check
/** Keeps tabs that show the same session in step. */

import * as sessions from "../game/sessions.js";

/** @typedef {import("../game/types.js").Session} Session */

const channel = new BroadcastChannel("german-whist");

/** @param {Session} session */
export function tellOtherTabs(session) {
  channel.postMessage({ id: session.id, version: session.version });
}

/**
 * Call `update` when another tab or another page has changed the session.
 *
 * @param {() => Session | null} current
 * @param {(session: Session) => void} update
 */
export function followOtherTabs(current, update) {
  const ask = async () => {
    const session = current();
    if (session === null) return;
    try {
      const answer = await sessions.open(session.id);
      if (current()?.id === answer.id && current()?.version !== answer.version) update(answer);
    } catch {
      // The player's next action will report what is wrong.
    }
  };
  channel.addEventListener("message", (event) => {
    const session = current();
    if (session !== null && event.data.id === session.id && event.data.version !== session.version) void ask();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void ask();
  });
}
