// @ts-check
/** Other tabs with the same table, and a server that went away: the page asks again and shows what is there now. */

import { ApiError, api } from "./api.js";
import { byId } from "./dom.js";

/** @typedef {import("./types.js").Session} Session */

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
      const answer = await api.session(session.id);
      if (current()?.id === answer.id && current()?.version !== answer.version) update(answer);
    } catch {
      // The next request of the person says what is wrong.
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

/** @type {ReturnType<typeof setTimeout> | undefined} */
let clearing;

/**
 * Say something at once, for a few seconds.
 *
 * @param {string} message
 */
export function alertUser(message) {
  const element = byId("alert");
  element.textContent = message;
  element.classList.add("visible");
  clearTimeout(clearing);
  clearing = setTimeout(() => element.classList.remove("visible"), 4500);
}

/**
 * Wait until the server answers again.
 *
 * @param {string} id of a session
 * @returns {Promise<Session>}
 */
export async function untilBack(id) {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    try {
      return await api.session(id);
    } catch (error) {
      if (error instanceof ApiError && error.code !== "unreachable") throw error;
    }
  }
}
