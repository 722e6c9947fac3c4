// @ts-check
/** Waiting for answers: marks buttons as busy, reports errors, and waits for a server that has gone away. */

import { agentTitle } from "../game/catalogue.js";
import { PageError } from "../game/errors.js";
import { followLoading, isWarm } from "../game/thinking.js";
import { percent } from "../game/wording.js";
import { byId } from "./dom.js";
import { alertUser, alertWhile } from "./notices.js";

const SLOW = 5000; // milliseconds after which the page says that it is thinking
const SOON = 300;
const LOADING = 500; // milliseconds after which it says how much of a network has been loaded
const RETRY = 1500; // milliseconds

/** @type {Element | null} the button that is being pressed */
let pressed = null;

// Captured, so that it runs before the button's own handlers, and a busy button does nothing; the timeout runs after them.
document.addEventListener(
  "click",
  (event) => {
    pressed = event.target instanceof Element ? event.target.closest("button") : null;
    if (pressed?.getAttribute("aria-busy") === "true") {
      event.stopImmediatePropagation();
      event.preventDefault();
    }
    setTimeout(() => {
      pressed = null;
    });
  },
  true,
);

/**
 * Wait for an answer. The button that was pressed for it is busy meanwhile.
 *
 * @template Answer
 * @param {() => Promise<Answer>} ask
 * @param {string} [words] what takes so long, said at once
 * @returns {Promise<Answer>}
 */
export async function waitFor(ask, words) {
  const button = pressed;
  let endAlert = () => {};
  const slow = setTimeout(
    () => {
      if (byId("alert").textContent === "") endAlert = alertWhile(words ?? "Thinking…");
    },
    words === undefined ? SLOW : SOON,
  );
  const began = performance.now();
  const endLoading = followLoading((agent, share) => {
    if (performance.now() - began > LOADING)
      endAlert = alertWhile(`Loading ${agentTitle(agent)}: ${percent(Math.floor(10 * share) / 10)}`);
  });
  button?.setAttribute("aria-busy", "true");
  try {
    return await ask();
  } finally {
    clearTimeout(slow);
    endLoading();
    endAlert();
    button?.removeAttribute("aria-busy");
  }
}

/**
 * Do something, and report what goes wrong.
 *
 * @param {() => Promise<any>} act
 * @param {string} [words] those of `waitFor`
 */
export async function attempt(act, words) {
  try {
    await waitFor(act, words);
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    if (error.kind === "unreachable") await untilBack(error.message);
    else alertUser(error.message);
  }
}

/** @type {Promise<void> | null} */
let back = null;

/**
 * Wait until the server answers, and say so meanwhile.
 *
 * @param {string} message
 * @returns {Promise<void>}
 */
export function untilBack(message) {
  back ??= reconnect(message).finally(() => {
    back = null;
  });
  return back;
}

/** @param {string} message */
async function reconnect(message) {
  alertWhile(message);
  do {
    await new Promise((resolve) => setTimeout(resolve, RETRY));
  } while (!(await isWarm()));
  alertUser("The server is ready.");
}
